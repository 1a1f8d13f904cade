/**
 * The functions of a store in PostgreSQL. Each statement of the store is one function, which takes and returns JSON. So each call is one
 * statement and one transaction, whatever stands between: a pool, pgbouncer, a driver.
 *
 * The name of a function ends with the version that made it, because processes of two versions can share a store. In the texts, `@` stands
 * for the name of the table. The table has an alias wherever rows are read: its name may be that of a variable.
 */
import * as common from '../common/rows.js'

/** The same as `MARGIN`, for a transaction of a program. */
const PROGRAMS_MARGIN = 30_000
const LIVES = common.lives('now')
/** The process that asks, and has its lease. */
const IS_OWN = `id = me AND ${LIVES}`
/** The processes that live, but for the one that asks. */
const OTHERS = `FROM @_process WHERE id <> me AND ${LIVES}`
const PEERS = `(SELECT coalesce(json_agg(p), '[]') FROM (SELECT ${common.PEER} ${OTHERS}) AS p)`

/**
 * How long changes wait for the locks of other transactions: less if they can be divided, because perhaps one of them waits. In a transaction of
 * a program (me = 0), they wait as long as the program says.
 */
const PATIENCE = `IF me <> 0 THEN
    PERFORM set_config('lock_timeout', CASE WHEN (args->>'isWhole')::boolean THEN '2s' ELSE '200ms' END, true);
  END IF;`

/**
 * Tells processes of free rows. A transaction of a program (me = 0) may end later than one of the engine.
 *
 * @param soon the query `soon` of their names and due times, and before it those that it needs
 */
const tell = (soon: string): string => `WITH ${soon}
  INSERT INTO @_message (process, name, due)
    SELECT p.id, s.name, min(s.due) FROM soon AS s, (SELECT id, horizon ${OTHERS}) AS p
    WHERE s.due <= now + p.horizon + CASE WHEN me = 0 THEN ${PROGRAMS_MARGIN} ELSE ${common.MARGIN} END GROUP BY p.id, s.name;`
const TELL_ALL = tell("soon AS (SELECT '' AS name, 0 AS due)")

/** A row as JSON. */
const rowOf = (from: string): string =>
  `json_build_object(${common.COLUMNS.map((name) => `'${name}', ${from}.${name}`)})`

/** The items of an argument, with their numbers from 1 in the column `ordinality`. */
const items = (member: string, columns: string): string =>
  `ROWS FROM (jsonb_to_recordset(args->'${member}') AS (${columns})) WITH ORDINALITY`
const CHANGES = items(
  'changes',
  'id text, name text, key text, due bigint, data text, rule text, owner bigint, "ifExists" text',
)
const ENDS = items('ends', 'id text, name text, key text, due bigint, "from" numeric, "newId" text, next @')

/** The `Ref`s in a member of the arguments. All transactions lock rows in one order. */
const refs = (member: string): string =>
  `SELECT * FROM jsonb_to_recordset(args->'${member}') AS r(name text, due bigint, id text) ORDER BY name, due, id`
const FOUND = 't.name = one.name AND t.due = one.due AND t.id = one.id'

/** Tells the process that holds a row that it has lost it. */
const tellOfLoss = (owner: string): string =>
  `INSERT INTO @_message (process, id) SELECT ${owner}, one.id WHERE ${owner} NOT IN (0, me);`

/** The time. A test sends it. */
const NOW = `coalesce((args->>'now')::numeric, @_now_1())`

/**
 * A function of the store. `args` has the arguments, `now` the time, `me` the number of the process that asks, or 0. A plan is kept that was
 * made while the table was empty, so each must use the indexes. That of keys begins with the key, so that no plan finds the rows of a name
 * by it.
 */
const fn = (name: string, declarations: string, body: string): string => `
CREATE FUNCTION @_${name}_1(args jsonb) RETURNS json LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $f$
#variable_conflict use_column
DECLARE
  now bigint := floor(${NOW}); me bigint := coalesce((args->>'owner')::bigint, 0);
  ${declarations}
BEGIN
  ${body}
END $f$;
`
/** The time is read again, so that the process knows it the better the later it is: see server-clock.ts. */
const answer = (value: string): string => `RETURN json_build_object('now', ${NOW}, 'value', ${value});`

const JOIN = fn(
  'join',
  `formers bigint[] := ARRAY(SELECT n::bigint FROM jsonb_array_elements_text(args->'former') AS f(n)); one record; lost text[] := '{}';
  ends bigint := now + (args->>'lease')::bigint;`,
  `-- Another join of the process may be under way, so its number is seen only after the wait for it.
  PERFORM FROM @_process WHERE id = ANY(formers) FOR UPDATE;
  DELETE FROM @_process WHERE id = ANY(formers);
  IF NOT FOUND THEN formers := '{}'; END IF;
  INSERT INTO @_process (id, alive, until, horizon, boot, space, pid, began)
    SELECT me, true, ends, (args->>'horizon')::bigint, a.boot, a.space, a.pid, a.began
    FROM jsonb_to_record(args->'place') AS a(boot text, space text, pid bigint, began text);
  FOR one IN ${refs('held')} LOOP
    UPDATE @ AS t SET owner = me WHERE ${FOUND} AND owner = ANY(formers);
    IF NOT FOUND THEN lost := lost || one.id; END IF;
  END LOOP;
  ${TELL_ALL}
  ${answer(`json_build_object('until', ends, 'others', ${PEERS}, 'lost', lost)`)}`,
)

const BEAT = fn(
  'beat',
  `lease bigint := args->>'lease'; found_messages json;`,
  `IF lease IS NOT NULL THEN
    UPDATE @_process SET until = now + lease, alive = lease > 0 WHERE ${IS_OWN};
    IF FOUND AND lease = 0 THEN
      ${TELL_ALL}
    END IF;
    ${common.forget('now')};
    DELETE FROM @_message WHERE process NOT IN (SELECT id FROM @_process WHERE alive);
  END IF;
  WITH messages AS (DELETE FROM @_message WHERE process = me RETURNING name, id, due)
    SELECT coalesce(json_agg(m), '[]') INTO found_messages FROM messages AS m;
  ${answer(`json_build_object('until', (SELECT until FROM @_process WHERE ${IS_OWN}), 'messages', found_messages, 'others', ${PEERS},
    'paused', (SELECT coalesce(json_agg(name), '[]') FROM @_paused))`)}`,
)

const IS_FREE = `owner <> ALL(ARRAY(SELECT p.id FROM @_process AS p WHERE ${LIVES}))`
/** The free rows of `one` that a claim may take. */
const FREE = `FROM @ AS t WHERE name = one.name AND (due, id) > (one.low_due, one.low_id COLLATE "C") AND due <= one.ahead
      AND ${IS_FREE} AND NOT EXISTS (SELECT FROM @_paused AS p WHERE p.name = one.name)`

const CLAIM = fn(
  'claim',
  `one record; free record; free_rows tid[]; taken json; bytes bigint; is_cut boolean; answers json[] := '{}';`,
  `IF NOT EXISTS (SELECT FROM @_process WHERE ${IS_OWN}) THEN ${answer('NULL::json')} END IF;
  -- A process whose lease has ended must not live again, also if the clock is set back. If it renews the lease at the same time, it lives.
  UPDATE @_process SET alive = false WHERE alive AND NOT (${LIVES});
  FOR one IN
    SELECT value->>'name' AS name, (value->'low'->>0)::bigint AS low_due, value->'low'->>1 AS low_id,
      now + (value->>'horizon')::bigint AS ahead, (value->>'most')::integer AS most, (value->>'bytes')::bigint AS bytes
    FROM jsonb_array_elements(args->'names') WITH ORDINALITY AS a(value, n) ORDER BY n
  LOOP
    free_rows := '{}';
    bytes := 0;
    is_cut := false;
    FOR free IN SELECT ctid AS at_row, due, id, octet_length(data) AS size ${FREE} ORDER BY due, id LIMIT one.most FOR UPDATE SKIP LOCKED LOOP
      free_rows := free_rows || free.at_row;
      bytes := bytes + ${common.ROW_BYTES} + coalesce(free.size, 0);
      is_cut := cardinality(free_rows) = one.most OR bytes > one.bytes;
      EXIT WHEN is_cut;
    END LOOP;
    -- A process that has joined meanwhile has another number in its rows.
    WITH taken AS (UPDATE @ AS t SET ${common.takes('me', 'now')} WHERE ctid = ANY(free_rows) AND ${IS_FREE} RETURNING t.*)
      SELECT coalesce(json_agg(${rowOf('taken')} ORDER BY due, id), '[]') INTO taken FROM taken;
    answers := answers || json_build_object('rows', taken, 'isCut', is_cut,
      'upTo', CASE WHEN is_cut THEN json_build_array(free.due, free.id) ELSE json_build_array(one.ahead, '~') END,
      'hasSkipped', NOT is_cut AND EXISTS (SELECT ${FREE}),
      'next', (SELECT min(due) FROM @ AS t WHERE name = one.name AND due > one.ahead AND due < ${common.FAILED}));
  END LOOP;
  ${answer('array_to_json(answers)')}`,
)

/** The rows that have the keys of changes. All transactions lock rows in one order, also those of 'end'. */
const PRESENT = `(SELECT *, ordinality AS n FROM ${CHANGES} AS c WHERE key IS NOT NULL ORDER BY name COLLATE "C", key COLLATE "C") AS c
    CROSS JOIN LATERAL (SELECT t.*, t.ctid AS at_row FROM @ AS t WHERE t.name = c.name AND t.key = c.key FOR UPDATE) AS t`
const SCHEDULE = (rule: string): string => `regexp_replace(${rule}, '${common.SCHEDULE_END}', '')`

/** No key comes twice. 'answers' has those to the changes that have met a row, of which most are removed. The others make new rows. */
const MAKE_CHANGES = fn(
  'change',
  `one record; present @; gone tid[]; is_done boolean; is_refused boolean := false;
  answers json[] := array_fill(NULL::json, ARRAY[jsonb_array_length(args->'changes')]);`,
  `${PATIENCE}
  FOR one IN
    SELECT t.*, c.n, c."ifExists" AS if_exists, c.id AS new_id, c.due AS new_due, c.data AS new_data, c.rule AS new_rule,
      ${SCHEDULE('t.rule')} IS NOT DISTINCT FROM ${SCHEDULE('c.rule')} AS is_same, c."ifExists" = 'throw' AND t.due < ${common.FAILED} AS throws
    FROM ${PRESENT} ORDER BY throws DESC
  LOOP
    EXIT WHEN is_refused AND NOT one.throws;
    is_done := one.if_exists IN ('clear', 'replace') OR one.due >= ${common.FAILED};
    present := NULL;
    IF is_done THEN gone := gone || one.at_row;
    ELSIF one.if_exists = 'keep' AND one.owner <> 0 AND one.due <= now THEN
      UPDATE @ AS t SET marked = now, again = least(again, one.new_due) WHERE ctid = one.at_row RETURNING t.* INTO present;
      present.at := present.again;
      present.due := present.again;
    ELSIF one.if_exists = 'update' AND (one.due <= now OR one.starts > 0) THEN
      UPDATE @ AS t SET marked = now, data = one.new_data, rule = one.new_rule,
        again = CASE WHEN one.is_same THEN least(coalesce(again, 0), 0) ELSE -one.new_due END
        WHERE ctid = one.at_row RETURNING t.* INTO present;
    ELSIF one.if_exists = 'update' THEN
      UPDATE @ AS t SET id = one.new_id, data = one.new_data, rule = one.new_rule, owner = 0, starts = 0, failures = 0, deaths = 0,
        watched = 0, error = NULL, again = NULL, marked = NULL, at = CASE WHEN one.is_same THEN at ELSE one.new_due END,
        due = CASE WHEN one.is_same THEN due ELSE one.new_due END WHERE ctid = one.at_row RETURNING t.* INTO present;
      is_done := true;
    ELSE
      SELECT t.* INTO present FROM @ AS t WHERE ctid = one.at_row;
      is_refused := is_refused OR one.throws AND (args->>'isWhole')::boolean;
    END IF;
    IF is_done THEN ${tellOfLoss('one.owner')} END IF;
    answers[one.n] := json_build_object('isDone', is_done, 'removed', CASE WHEN is_done THEN one.id END,
      'present', CASE WHEN present.id IS NOT NULL THEN ${rowOf('present')} END);
  END LOOP;
  DELETE FROM @ AS t WHERE ctid = ANY(gone);
  ${tell(`made AS (
    INSERT INTO @ (id, name, key, at, due, data, rule, owner)
    SELECT id, name, key, due, due, data, rule, owner FROM ${CHANGES} AS c
    WHERE "ifExists" <> 'clear' AND NOT is_refused AND answers[ordinality]->>'present' IS NULL
    ORDER BY name COLLATE "C", key COLLATE "C" RETURNING name, due, owner
  ), soon AS (
    SELECT name, due FROM made WHERE owner = 0
    UNION ALL SELECT a->'present'->>'name', (a->'present'->>'due')::bigint FROM unnest(answers) AS a
    WHERE (a->>'isDone')::boolean AND a->>'present' IS NOT NULL
  )`)}
  IF is_refused THEN
    answers := ARRAY(SELECT coalesce(a, '{"isDone": false, "removed": null, "present": null}') FROM unnest(answers) AS a);
  END IF;
  ${answer('array_to_json(answers)')}`,
)

const MAKE_ENDS = fn(
  'end',
  "one record; gone tid[] := '{}'; done bigint[] := array_fill(NULL::bigint, ARRAY[jsonb_array_length(args->'ends')]);",
  `${PATIENCE}
  FOR one IN
    SELECT e.ordinality AS n, e.next, e."newId" AS new_id, t.at_row, ${common.DUE_AGAIN} AS due_again
    FROM (
      SELECT *, (next).due AS next_due, (next).id AS next_id, floor("from") AS began FROM ${ENDS} AS e
      ORDER BY name COLLATE "C", key COLLATE "C", id
    ) AS e
    CROSS JOIN LATERAL (
      SELECT t.ctid AS at_row, t.again, t.marked FROM @ AS t
      WHERE t.name = e.name AND t.due = e.due AND t.id = e.id AND t.owner = me FOR UPDATE
    ) AS t
  LOOP
    done[one.n] := coalesce(one.due_again, 0);
    IF one.due_again IS NOT NULL THEN
      UPDATE @ AS t SET id = one.new_id, at = one.due_again, due = one.due_again, last = coalesce((one.next).last, last), owner = 0,
        starts = 0, failures = 0, deaths = 0, watched = 0, error = (one.next).error, again = NULL WHERE ctid = one.at_row;
    ELSIF (one.next).due IS NULL THEN gone := gone || one.at_row;
    ELSE UPDATE @ AS t SET (${common.NEXT}) = (${common.NEXT.map((name) => `(one.next).${name}`)}) WHERE ctid = one.at_row;
    END IF;
  END LOOP;
  DELETE FROM @ AS t WHERE ctid = ANY(gone);
  IF cardinality(gone) < cardinality(done) THEN ${tell(`soon AS (
    SELECT name, CASE WHEN done[ordinality] > 0 THEN done[ordinality] ELSE (next).due END AS due FROM ${ENDS} AS e
    WHERE done[ordinality] > 0 OR done[ordinality] = 0 AND (next).owner = 0 AND (next).due < ${common.FAILED}
  )`)} END IF;
  ${answer('array_to_json(done)')}`,
)

const RETRY = fn(
  'retry',
  'again record;',
  `UPDATE @ AS t SET due = greatest(at, (args->>'due')::bigint), failures = 0, deaths = 0
    WHERE id = args->>'id' AND due >= ${common.FAILED} RETURNING name, due INTO again;
  ${tell('soon AS (SELECT again.name, again.due)')}
  ${answer('to_json(again.name)')}`,
)

const REMOVE = fn(
  'remove',
  "one record; former bigint; removed text[] := '{}';",
  `FOR one IN ${refs('rows')} LOOP
    DELETE FROM @ AS t WHERE ${FOUND} RETURNING owner INTO former;
    CONTINUE WHEN NOT FOUND;
    removed := removed || one.id;
    ${tellOfLoss('former')}
  END LOOP;
  ${answer('array_to_json(removed)')}`,
)

const PAUSE = fn(
  'pause',
  '',
  `DELETE FROM @_paused WHERE name = args->>'name';
  IF (args->>'isPaused')::boolean THEN INSERT INTO @_paused VALUES (args->>'name') ON CONFLICT DO NOTHING; END IF;
  ${TELL_ALL}
  ${answer('NULL::json')}`,
)

const PORTION = fn(
  'portion',
  `most integer := args->>'most'; one record; found_rows json[] := '{}'; bytes bigint := 0; is_cut boolean := false;`,
  `FOR one IN
    SELECT t.* FROM @ AS t WHERE name = args->>'name' AND due < (args->>'before')::bigint
      AND (due, id) > ((args->'low'->>0)::bigint, (args->'low'->>1) COLLATE "C") ORDER BY due, id LIMIT most
  LOOP
    found_rows := found_rows || ${rowOf('one')};
    bytes := bytes + coalesce(octet_length(one.data), 0);
    is_cut := cardinality(found_rows) = most OR bytes > ${common.MOST_BYTES};
    EXIT WHEN is_cut;
  END LOOP;
  ${answer(`json_build_object('rows', found_rows, 'next', CASE WHEN is_cut THEN json_build_array(one.due, one.id) END)`)}`,
)

const query = (name: string, selected: string): string => fn(name, '', answer(`(SELECT ${selected})`))

export const FUNCTIONS = [
  ...[JOIN, BEAT, CLAIM, MAKE_CHANGES, MAKE_ENDS, RETRY, REMOVE, PAUSE, PORTION],
  query('time', 'NULL::json'),
  query('get', `${rowOf('t')} FROM @ AS t WHERE name = args->>'name' AND key = args->>'key'`),
  query('count', `to_json(c) FROM (${common.COUNT} WHERE name BETWEEN args->>'from' AND args->>'to') AS c`),
  query('names', `coalesce(json_agg(name), '[]') FROM (${common.NAMES}) AS n`),
].join('')
