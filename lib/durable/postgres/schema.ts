/**
 * The tables and functions of a store in PostgreSQL. Each statement of the store is a function in the database, which takes and returns
 * JSON. So each call is one statement and one transaction, whatever stands between: a pool, pgbouncer, a driver.
 *
 * The name of a function ends with the version that made it, because processes of two versions can share a store. In the texts, `@`
 * stands for the name of the table, `@_claim` for another name. All names have their schema, and the functions a fixed path. The table has
 * an alias wherever rows are read: its name may be that of a variable.
 */
import { createHash } from 'node:crypto'
import {
  COUNTED,
  EPOCHS,
  FAILED,
  FOREVER,
  FORGOTTEN,
  LONGEST_LEASE,
  MARGIN,
  PROGRAMS_MARGIN,
  REMEMBERED,
  ROW_BYTES,
} from '../common/store.js'

/** Bytes of a portion, but for the last row. */
const MOST_BYTES = 2 ** 22

const LIVES = `alive AND until > now AND (until <= now + ${LONGEST_LEASE} OR until > ${FOREVER})`
const LIVING = `SELECT id * ${EPOCHS} + epoch FROM @_process WHERE ${LIVES}`
/** Whether the process that asks has its lease. */
const IS_ALIVE = `EXISTS (SELECT FROM @_process WHERE id = me / ${EPOCHS} AND epoch = me % ${EPOCHS} AND ${LIVES})`

const TABLES = `
CREATE TABLE @ (
  name text COLLATE "C" NOT NULL, due bigint NOT NULL, id text COLLATE "C" NOT NULL, key text COLLATE "C", at bigint NOT NULL, data text,
  rule text, last bigint, owner bigint NOT NULL DEFAULT 0, starts integer NOT NULL DEFAULT 0,
  failures integer NOT NULL DEFAULT 0, deaths integer NOT NULL DEFAULT 0, watched integer NOT NULL DEFAULT 0,
  again bigint, marked bigint, error text, PRIMARY KEY (name, due, id)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
CREATE UNIQUE INDEX #_key ON @ (key, name);
CREATE INDEX #_failed ON @ (id) WHERE due >= ${FAILED};
CREATE TABLE @_process (
  id bigint PRIMARY KEY, epoch bigint NOT NULL, alive boolean NOT NULL, until bigint NOT NULL, horizon bigint NOT NULL,
  boot text, space text, pid bigint NOT NULL, began text
);
CREATE TABLE @_message (process bigint NOT NULL, name text NOT NULL DEFAULT '', id text NOT NULL DEFAULT '', due bigint NOT NULL DEFAULT 0);
CREATE INDEX #_message_process ON @_message (process);
CREATE TABLE @_paused (name text COLLATE "C" PRIMARY KEY);
CREATE FUNCTION @_now_1() RETURNS bigint LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS
  'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
`

/** Tells the processes in `told` to look for messages; all of them if there are many, because a notification has at most 8,000 bytes. */
const NOTIFY = `IF cardinality(told) > 0 THEN
    PERFORM pg_notify('$channel', CASE WHEN cardinality(told) > 300 THEN '' ELSE array_to_string(told, ' ') END);
  END IF;`

/** Without a time of its own, a statement waits for locks as long as the program's transaction does. */
const PATIENCE = `IF (args->>'patience')::integer > 0 THEN PERFORM set_config('lock_timeout', args->>'patience', true); END IF;`

/**
 * Tells processes of free rows, whose names and least due times are in 'soon_names' and 'soon_dues', and notifies all that are told of
 * something. A transaction of a program (me = 0) may end later than one of the engine.
 */
const TELL = `IF soon_names IS NOT NULL THEN
    WITH told_of AS (
      INSERT INTO @_message (process, name, due) SELECT p.id, s.name, s.due
      FROM unnest(soon_names, soon_dues) AS s(name, due), @_process AS p
      WHERE p.id <> me / ${EPOCHS} AND s.due <= now + horizon + CASE WHEN me = 0 THEN ${PROGRAMS_MARGIN} ELSE ${MARGIN} END AND ${LIVES}
      RETURNING process
    ) SELECT told || array_agg(process) INTO told FROM told_of;
  END IF;
  ${NOTIFY}`
const TELLS = 'soon_names text[]; soon_dues bigint[]; told bigint[];'
const TELL_ALL = `soon_names := ARRAY['']; soon_dues := ARRAY[0];
  ${TELL}`

const NEIGHBOURS = `(SELECT coalesce(json_agg(json_build_object('process', id, 'pid', pid, 'began', began)), '[]') FROM @_process
    WHERE boot = args->'place'->>'boot' AND space = args->'place'->>'space' AND id <> me / ${EPOCHS} AND began IS NOT NULL AND ${LIVES})`

/** Declares an array with a member of the arguments: numbers are the text of an array, other values an array in JSON. */
const numbers = (...names: string[]): string =>
  names.map((name) => `${name} bigint[] := (args->>'${name}')::bigint[];`).join(' ')
const texts = (...names: string[]): string =>
  names.map((name) => `${name} text[] := ARRAY(SELECT jsonb_array_elements_text(args->'${name}'));`).join(' ')

/** The call is made again: a row was changed before it was locked, so that the statement did not see it. */
const CHECK_WHOLE = `IF NOT is_whole THEN RAISE EXCEPTION USING ERRCODE = '40001', MESSAGE = 'two changes met'; END IF;`

/** Rows whose `Ref`s are in a member of the arguments. The subquery finds them one by one: joins would be planned for an empty table. */
const found = (member: string, condition: string): string => `found AS MATERIALIZED (
    SELECT t.at_row FROM (SELECT * FROM jsonb_to_recordset(args->'${member}') AS r(name text, due bigint, id text) ORDER BY name, due, id) AS r
    CROSS JOIN LATERAL (SELECT t.ctid AS at_row FROM @ AS t WHERE t.name = r.name AND t.due = r.due AND t.id = r.id AND ${condition} FOR UPDATE) AS t
  )`
/** Changes such rows. Puts their ids into 'done'. */
const update = (member: string, condition: string, set: string): string =>
  `WITH ${found(member, condition)}, changed AS (UPDATE @ AS t SET ${set} WHERE ctid = ANY(ARRAY(SELECT at_row FROM found)) RETURNING id)
  SELECT coalesce(array_agg(id), '{}'), count(*) = (SELECT count(*) FROM found) INTO done, is_whole FROM changed;
  ${CHECK_WHOLE}`

/**
 * A function of the store. `args` has the arguments, `now` the time. A plan is kept that was made while the table was empty, so each must
 * use the indexes. That of keys begins with the key, so that no plan finds the rows of a name by it.
 */
const fn = (name: string, declarations: string, body: string): string => `
CREATE FUNCTION @_${name}_1(args jsonb) RETURNS json LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $f$
#variable_conflict use_column
DECLARE
  -- A test sends the time.
  now bigint := coalesce((args->>'now')::bigint, @_now_1());
  ${declarations}
BEGIN
  ${body}
END $f$;
`
const answer = (value: string): string => `RETURN json_build_object('now', now, 'value', ${value});`

const ROW = (from: string, at = `${from}.at`, due = `${from}.due`): string =>
  `json_build_object('id', ${from}.id, 'name', ${from}.name, 'key', ${from}.key, 'at', ${at}, 'due', ${due}, 'data', ${from}.data,
    'rule', ${from}.rule, 'last', ${from}.last, 'starts', ${from}.starts, 'failures', ${from}.failures, 'deaths', ${from}.deaths,
    'watched', ${from}.watched, 'error', ${from}.error)`

const FUNCTIONS = [
  fn('time', '', answer('NULL::json')),
  fn(
    'join',
    `process bigint := args->>'process'; me bigint := process * ${EPOCHS}; made bigint; done text[]; is_whole boolean;
  ends bigint := now + (args->>'lease')::bigint; ${TELLS}`,
    `IF (args->>'isNew')::boolean AND EXISTS (SELECT FROM @_process WHERE id = process) THEN ${answer('NULL::json')} END IF;
  INSERT INTO @_process AS p (id, epoch, alive, until, horizon, boot, space, pid, began)
    SELECT process, 1, true, ends, (args->>'horizon')::bigint, a.boot, a.space, a.pid, a.began
    FROM jsonb_to_record(args->'place') AS a(boot text, space text, pid bigint, began text)
    ON CONFLICT (id) DO UPDATE SET epoch = p.epoch + 1, alive = true, until = excluded.until RETURNING epoch INTO made;
  ${update('held', `owner / ${EPOCHS} = process`, 'owner = me + made')}
  ${TELL_ALL}
  ${answer(`json_build_object('epoch', made, 'until', ends, 'neighbours', ${NEIGHBOURS},
    'lost', (SELECT coalesce(json_agg(id), '[]') FROM jsonb_to_recordset(args->'held') AS h(id text) WHERE id <> ALL(done)))`)}`,
  ),
  fn(
    'beat',
    `me bigint := args->>'owner'; ends bigint := now + (args->>'lease')::bigint; is_alive boolean; others integer; next_end bigint;`,
    `UPDATE @_process SET until = ends WHERE id = me / ${EPOCHS} AND epoch = me % ${EPOCHS} AND ${LIVES};
  is_alive := FOUND;
  DELETE FROM @_process WHERE abs(until - now) > ${REMEMBERED} AND NOT (${LIVES});
  DELETE FROM @_message WHERE process NOT IN (SELECT id FROM @_process WHERE ${LIVES});
  SELECT count(*), min(until) INTO others, next_end FROM @_process WHERE id <> me / ${EPOCHS} AND ${LIVES};
  ${answer(`json_build_object('until', CASE WHEN is_alive THEN ends END, 'others', others, 'nextEnd', next_end, 'neighbours', ${NEIGHBOURS})`)}`,
  ),
  fn(
    'bury',
    `me bigint := 0; ${TELLS}`,
    `UPDATE @_process SET alive = false, epoch = epoch + 1, until = least(until, now)
    WHERE id IN (SELECT value::bigint FROM jsonb_array_elements_text(args->'processes')) AND alive;
  ${TELL_ALL}
  ${answer('NULL::json')}`,
  ),
  fn(
    'claim',
    `me bigint := args->>'owner'; living bigint[]; one record; found_rows json; is_cut boolean; is_whole boolean; answers json[] := '{}';`,
    `IF NOT ${IS_ALIVE} THEN ${answer('NULL::json')} END IF;
  -- A process whose lease has ended must not live again, also if the clock is set back. If it renews the lease at the same time, it lives.
  IF EXISTS (SELECT FROM @_process WHERE alive AND NOT (${LIVES})) THEN
    UPDATE @_process SET alive = false, epoch = epoch + 1 WHERE alive AND NOT (${LIVES});
  END IF;
  living := ARRAY(${LIVING});
  FOR one IN
    SELECT value->>'name' AS name, (value->'low'->>0)::bigint AS low_due, value->'low'->>1 AS low_id, now + (value->>'horizon')::bigint AS ahead,
      (value->>'most')::integer AS most, (value->>'bytes')::bigint AS bytes
    FROM jsonb_array_elements(args->'names') WITH ORDINALITY AS a(value, n) ORDER BY n
  LOOP
    WITH found AS MATERIALIZED (
      SELECT ctid AS at_row, due, id, owner AS former, ${ROW_BYTES} + coalesce(octet_length(data), 0) AS size FROM @ AS t
      WHERE name = one.name AND (due, id) > (one.low_due, one.low_id COLLATE "C") AND due <= one.ahead AND owner <> ALL(living)
        AND NOT EXISTS (SELECT FROM @_paused AS p WHERE p.name = one.name)
      ORDER BY due, id LIMIT one.most FOR UPDATE SKIP LOCKED
    ), sized AS MATERIALIZED (
      SELECT at_row, due, former, sum(size) OVER (ORDER BY due, id) - size <= one.bytes AS fits, sum(size) OVER () > one.bytes AS is_cut
      FROM found
    ), known AS MATERIALIZED (
      SELECT s.*, former <> 0 AND due <= least(now, coalesce((SELECT until FROM @_process AS p WHERE p.id = former / ${EPOCHS}), now)) AS may_run
      FROM sized AS s WHERE fits
    ), taken AS (
      -- What was due later than the lease, the process that has died has not started.
      UPDATE @ AS t SET owner = me, starts = t.starts + CASE WHEN t.watched <> 1 AND (k.may_run OR former <> 0 AND t.watched = 2) THEN 1 ELSE 0 END,
        deaths = t.deaths + CASE WHEN former <> 0 AND t.watched = 2 THEN 1 ELSE 0 END,
        watched = CASE WHEN k.may_run OR former <> 0 AND t.watched = 2 THEN 1 ELSE t.watched END
      FROM known AS k WHERE t.ctid = k.at_row RETURNING t.*
    )
    SELECT coalesce(json_agg(${ROW('taken')} ORDER BY due, id), '[]'), (SELECT count(*) = one.most OR coalesce(bool_or(s.is_cut), false) FROM sized AS s), count(*) = (SELECT count(*) FROM known)
      INTO found_rows, is_cut, is_whole FROM taken;
    ${CHECK_WHOLE}
    answers := answers || json_build_object('rows', found_rows, 'isCut', is_cut,
      'upTo', CASE WHEN is_cut THEN json_build_array(found_rows->-1->'due', found_rows->-1->'id') ELSE json_build_array(one.ahead, '~') END,
      'hasSkipped', NOT is_cut AND EXISTS (SELECT FROM @ AS t WHERE name = one.name AND (due, id) > (one.low_due, one.low_id COLLATE "C")
        AND due <= one.ahead AND owner <> ALL(living) AND NOT EXISTS (SELECT FROM @_paused AS p WHERE p.name = one.name)),
      'next', (SELECT min(due) FROM @ AS t WHERE name = one.name AND due > one.ahead AND due < ${FAILED}));
  END LOOP;
  ${answer('array_to_json(answers)')}`,
  ),
  fn(
    'start',
    `me bigint := args->>'owner'; done text[]; is_whole boolean;`,
    `${update('rows', 'owner = me', 'watched = 2')}
  ${answer('array_to_json(done)')}`,
  ),
  // No key comes twice, so all changes are made together. Kinds: 0 clears, 1 replaces, 2 keeps, 3 throws, 4 updates.
  fn(
    'change',
    `me bigint := args->>'owner'; ${numbers('kinds', 'dues', 'owners')} ${texts('ids', 'names', 'keys', 'datas', 'rules')}
  there json; refused bigint[] := '{}'; ats bigint[]; lasts bigint[]; one record; is_there boolean; is_whole boolean; ${TELLS}`,
    `${PATIENCE}
  -- All transactions lock rows in one order, also those of 'end'.
  PERFORM 1 FROM (SELECT name, key FROM unnest(names, keys) AS c(name, key) WHERE key IS NOT NULL ORDER BY name COLLATE "C", key COLLATE "C") AS c
    CROSS JOIN LATERAL (SELECT 1 FROM @ AS t WHERE t.name = c.name AND t.key = c.key FOR UPDATE) AS t;
  is_there := FOUND;
  IF is_there AND (args->>'isWhole')::boolean THEN
    SELECT json_agg(json_build_object('n', c.n, 'id', t.id, 'isFailed', false, 'isUpdated', false, 'present', ${ROW('t')})) INTO there
      FROM unnest(kinds, names, keys) WITH ORDINALITY AS c(kind, name, key, n)
      CROSS JOIN LATERAL (SELECT * FROM @ AS t WHERE t.name = c.name AND t.key = c.key) AS t WHERE c.kind = 3 AND t.due < ${FAILED};
    IF there IS NOT NULL THEN ${answer('there')} END IF;
  END IF;
  IF is_there THEN
    WITH found AS MATERIALIZED (
      SELECT c.n, c.kind, t.*, t.due < ${FAILED} AND (c.kind IN (2, 3) OR c.kind = 4 AND t.owner <> 0 AND t.due <= now) AS is_refused,
        c.kind IN (2, 4) AND t.owner <> 0 AND t.due <= now AS is_marked, c.kind = 4 AND t.due < ${FAILED} AND (t.owner = 0 OR t.due > now) AS is_updated,
        CASE WHEN c.kind <> 4 THEN least(t.again, c.due) WHEN t.rule = c.rule THEN least(coalesce(t.again, 0), 0) ELSE -c.due END AS next_due,
        jsonb_build_object('data', c.data, 'rule', c.rule) AS new_parts, jsonb_build_object('id', c.id, 'starts', 0, 'failures', 0, 'deaths', 0,
          'watched', 0, 'error', NULL) || CASE WHEN t.rule = c.rule OR t.due <= now THEN '{}' ELSE jsonb_build_object('at', c.due, 'due', c.due) END AS updated
      FROM (SELECT * FROM unnest(kinds, dues, ids, names, keys, datas, rules) WITH ORDINALITY AS c(kind, due, id, name, key, data, rule, n)
        WHERE key IS NOT NULL) AS c
      CROSS JOIN LATERAL (SELECT t.*, t.ctid AS at_row FROM @ AS t WHERE t.name = c.name AND t.key = c.key FOR UPDATE) AS t
    ), gone AS (
      DELETE FROM @ AS t WHERE ctid = ANY(ARRAY(SELECT at_row FROM found WHERE NOT is_refused)) RETURNING id
    ), kept AS (
      UPDATE @ AS t SET again = f.next_due, marked = now, data = CASE WHEN f.kind = 4 THEN f.new_parts->>'data' ELSE t.data END,
        rule = CASE WHEN f.kind = 4 THEN f.new_parts->>'rule' ELSE t.rule END FROM found AS f WHERE f.is_refused AND f.is_marked AND t.ctid = f.at_row RETURNING t.id
    ), told_of AS (
      INSERT INTO @_message (process, id) SELECT p.id, f.id FROM found AS f JOIN @_process AS p ON p.id = f.owner / ${EPOCHS}
      WHERE NOT f.is_refused AND f.owner <> me AND ${LIVES} RETURNING process
    )
    SELECT json_agg(json_build_object('n', n, 'id', id, 'isFailed', due >= ${FAILED}, 'isUpdated', is_updated,
        'present', CASE WHEN is_updated THEN (${ROW('found')})::jsonb || new_parts || updated
        WHEN is_refused AND kind = 4 THEN (${ROW('found')})::jsonb || new_parts
        WHEN is_refused THEN to_jsonb(CASE WHEN is_marked THEN ${ROW('found', 'next_due', 'next_due')} ELSE ${ROW('found')} END) END)),
      coalesce(array_agg(n) FILTER (WHERE is_refused), '{}'), ARRAY(SELECT process FROM told_of),
      (SELECT count(*) FROM gone) = count(*) FILTER (WHERE NOT is_refused) AND (SELECT count(*) FROM kept) = count(*) FILTER (WHERE is_refused AND is_marked)
      INTO there, refused, told, is_whole FROM found;
    -- A row may have come between the two statements.
    ${CHECK_WHOLE}
  END IF;
  ats := dues;
  lasts := array_fill(NULL::bigint, ARRAY[cardinality(ids)]);
  FOR one IN SELECT (value->>'n')::integer AS n, value->'present' AS present FROM json_array_elements(there) WHERE (value->>'isUpdated')::boolean LOOP
    ats[one.n] := one.present->>'at';
    dues[one.n] := one.present->>'due';
    lasts[one.n] := one.present->>'last';
  END LOOP;
  INSERT INTO @ (id, name, key, at, due, data, rule, last, owner)
    SELECT id, name, key, at, due, data, rule, last, owner
    FROM unnest(ids, names, keys, ats, dues, datas, rules, lasts, owners, kinds) WITH ORDINALITY
      AS c(id, name, key, at, due, data, rule, last, owner, kind, n)
    WHERE kind > 0 AND n <> ALL(refused) ORDER BY name COLLATE "C", key COLLATE "C";
  SELECT array_agg(name), array_agg(due) INTO soon_names, soon_dues FROM (
    SELECT name, min(due) AS due FROM unnest(names, dues, owners, kinds) WITH ORDINALITY AS c(name, due, owner, kind, n)
    WHERE kind > 0 AND owner = 0 AND n <> ALL(refused) GROUP BY name) AS s;
  ${TELL}
  ${answer("coalesce(there, '[]')")}`,
  ),
  fn(
    'end',
    `me bigint := args->>'owner'; done json; is_whole boolean; ${TELLS} ${texts('ids', 'names', 'keys', 'new_ids', 'next_ids', 'errors')}
  ${numbers('were', 'froms', 'ats', 'dues', 'lasts', 'owners', 'starts', 'failures', 'deaths', 'watched')}`,
    `${PATIENCE}
  WITH ends AS MATERIALIZED (
    SELECT * FROM unnest(ids, names, keys, were, froms, new_ids, next_ids, ats, dues, lasts, owners, starts, failures, deaths, watched, errors) WITH ORDINALITY
      AS e(id, name, key, was, start, new_id, next_id, at, due, last, owner, starts, failures, deaths, watched, error, n)
  ), found AS MATERIALIZED (
    -- 'again' is above 0 if the row was kept while it ran. If it was updated, it is 0, or below 0 if that changed the due time.
    SELECT e.*, t.at_row, CASE WHEN t.again = 0 THEN e.due ELSE abs(t.again) END AS again,
      CASE WHEN t.again > 0 THEN (e.due IS NULL OR e.due >= ${FAILED}) AND t.marked >= e.start
        ELSE t.again < 0 AND (e.due IS NULL OR e.due >= ${FAILED} OR e.next_id <> e.id) OR t.again = 0 AND e.due IS NOT NULL AND e.next_id <> e.id
      END IS TRUE AS is_again
    FROM (SELECT * FROM ends ORDER BY name COLLATE "C", key COLLATE "C", id) AS e
    CROSS JOIN LATERAL (SELECT t.ctid AS at_row, t.again, t.marked FROM @ AS t WHERE t.name = e.name AND t.due = e.was AND t.id = e.id AND t.owner = me FOR UPDATE) AS t
  ), gone AS (
    DELETE FROM @ AS t WHERE ctid = ANY(ARRAY(SELECT at_row FROM found WHERE due IS NULL AND NOT is_again)) RETURNING id
  ), again AS (
    UPDATE @ AS t SET id = CASE WHEN f.is_again THEN f.new_id ELSE f.next_id END, at = CASE WHEN f.is_again THEN f.again ELSE f.at END,
      due = CASE WHEN f.is_again THEN f.again ELSE f.due END, last = coalesce(f.last, t.last), owner = CASE WHEN f.is_again THEN 0 ELSE f.owner END,
      starts = CASE WHEN f.is_again THEN 0 ELSE f.starts END, failures = CASE WHEN f.is_again THEN 0 ELSE f.failures END,
      deaths = CASE WHEN f.is_again THEN 0 ELSE f.deaths END, watched = CASE WHEN f.is_again THEN 0 ELSE f.watched END,
      error = f.error, again = CASE WHEN f.is_again THEN NULL ELSE t.again END
    FROM found AS f WHERE (f.due IS NOT NULL OR f.is_again) AND t.ctid = f.at_row RETURNING t.id
  )
  SELECT json_agg(CASE WHEN f.is_again THEN f.again WHEN f.n IS NOT NULL THEN 0 END ORDER BY e.n),
    (SELECT count(*) FROM gone) + (SELECT count(*) FROM again) = count(f.n)
    INTO done, is_whole FROM ends AS e LEFT JOIN found AS f ON f.n = e.n;
  -- A row may have been marked.
  ${CHECK_WHOLE}
  SELECT array_agg(name), array_agg(due) INTO soon_names, soon_dues FROM (
    SELECT name, min(CASE WHEN again > 0 THEN again ELSE due END) AS due
    FROM unnest(names, dues, owners, ARRAY(SELECT json_array_elements_text(done)::bigint)) AS e(name, due, owner, again)
    WHERE again > 0 OR again = 0 AND owner = 0 AND due < ${FAILED} GROUP BY name) AS s;
  ${TELL}
  ${answer('done')}`,
  ),
  fn(
    'retry',
    `me bigint := 0; ${TELLS}`,
    `WITH again AS (
    UPDATE @ AS t SET due = greatest(at, (args->>'due')::bigint), failures = 0, deaths = 0 WHERE id = args->>'id' AND due >= ${FAILED} RETURNING name, due
  ) SELECT array_agg(name), array_agg(due) INTO soon_names, soon_dues FROM again;
  ${TELL}
  ${answer('to_json(soon_names[1])')}`,
  ),
  fn(
    'remove',
    `me bigint := args->>'owner'; removed json; told bigint[];`,
    `WITH ${found('rows', 'true')}, gone AS (DELETE FROM @ AS t WHERE ctid = ANY(ARRAY(SELECT at_row FROM found)) RETURNING id, owner), told_of AS (
    INSERT INTO @_message (process, id) SELECT p.id, g.id FROM gone AS g JOIN @_process AS p ON p.id = g.owner / ${EPOCHS}
    WHERE g.owner <> me AND ${LIVES} RETURNING process
  ) SELECT (SELECT coalesce(json_agg(id), '[]') FROM gone), ARRAY(SELECT process FROM told_of) INTO removed, told;
  ${NOTIFY}
  ${answer('removed')}`,
  ),
  fn(
    'pause',
    `me bigint := 0; ${TELLS}`,
    `DELETE FROM @_paused WHERE name = args->>'name';
  IF (args->>'isPaused')::boolean THEN INSERT INTO @_paused VALUES (args->>'name') ON CONFLICT DO NOTHING; END IF;
  ${TELL_ALL}
  ${answer('NULL::json')}`,
  ),
  fn(
    'news',
    `me bigint := args->>'owner'; lost json; soon json; others integer;`,
    `WITH messages AS (DELETE FROM @_message WHERE process = me / ${EPOCHS} RETURNING name, id, due), soonest AS (
    SELECT name, min(due) AS due FROM messages WHERE id = '' GROUP BY name
  )
  SELECT (SELECT coalesce(json_agg(id), '[]') FROM messages WHERE id <> ''), (SELECT coalesce(json_agg(json_build_array(name, due)), '[]') FROM soonest)
    INTO lost, soon;
  SELECT count(*) INTO others FROM @_process WHERE id <> me / ${EPOCHS} AND ${LIVES};
  ${answer(`json_build_object('isAlive', ${IS_ALIVE}, 'lost', lost, 'soon', soon, 'others', others,
    'paused', (SELECT coalesce(json_agg(name), '[]') FROM @_paused))`)}`,
  ),
  fn(
    'leave',
    `me bigint := args->>'owner'; done text[]; is_whole boolean; ${TELLS}`,
    `${update('running', 'owner = me', 'owner = 0, starts = starts + 1, watched = least(watched, 1)')}
  UPDATE @_process SET alive = false, epoch = epoch + 1, until = least(until, now) WHERE id = me / ${EPOCHS} AND alive;
  DELETE FROM @_message WHERE process = me / ${EPOCHS};
  ${TELL_ALL}
  ${answer('NULL::json')}`,
  ),
  fn('get', '', answer(`(SELECT ${ROW('t')} FROM @ AS t WHERE name = args->>'name' AND key = args->>'key')`)),
  fn(
    'names',
    'found_names json;',
    `WITH RECURSIVE found AS (
    SELECT min(name) AS name FROM @ AS t UNION ALL
    SELECT (SELECT min(t.name) FROM @ AS t WHERE t.name > f.name) FROM found AS f WHERE f.name IS NOT NULL
  ) SELECT coalesce(json_agg(name) FILTER (WHERE name IS NOT NULL), '[]') INTO found_names FROM found;
  ${answer('found_names')}`,
  ),
  fn(
    'portion',
    `most integer := args->>'most'; found_rows json; rest json;`,
    `WITH looked AS MATERIALIZED (
    SELECT t.*, row_number() OVER w AS nth, sum(coalesce(octet_length(data), 0)) OVER w - coalesce(octet_length(data), 0) AS before
    FROM (SELECT * FROM @ AS t WHERE name = args->>'name' AND (due, id) > ((args->'low'->>0)::bigint, (args->'low'->>1) COLLATE "C")
      AND due < (args->>'before')::bigint ORDER BY due, id LIMIT most + 1) AS t WINDOW w AS (ORDER BY due, id ROWS UNBOUNDED PRECEDING)
  ), given AS (SELECT * FROM looked WHERE nth <= most AND (nth = 1 OR before <= ${MOST_BYTES}))
  SELECT coalesce(json_agg(${ROW('given')} ORDER BY nth), '[]'),
    CASE WHEN count(*) < (SELECT count(*) FROM looked) THEN (SELECT json_build_array(due, id) FROM given ORDER BY nth DESC LIMIT 1) END
    INTO found_rows, rest FROM given;
  ${answer(`json_build_object('rows', found_rows, 'next', rest)`)}`,
  ),
  fn(
    'count',
    'counted bigint; last json;',
    `WITH part AS MATERIALIZED (
    SELECT due, id FROM @ AS t WHERE name = args->>'name' AND (due, id) > ((args->'low'->>0)::bigint, (args->'low'->>1) COLLATE "C")
      AND due < (args->>'before')::bigint ORDER BY due, id LIMIT ${COUNTED}
  )
  SELECT count(*), (SELECT json_build_array(due, id) FROM part ORDER BY due DESC, id DESC LIMIT 1) INTO counted, last FROM part;
  ${answer(`json_build_object('rows', counted, 'next', CASE WHEN counted = ${COUNTED} THEN last END)`)}`,
  ),
  fn(
    'forget',
    'deleted integer;',
    `DELETE FROM @ AS t WHERE ctid = ANY(ARRAY(SELECT ctid FROM @ AS t WHERE name = args->>'name' AND due >= ${FAILED} AND due < ${FAILED} + (args->>'before')::bigint
    ORDER BY due LIMIT ${FORGOTTEN} FOR UPDATE SKIP LOCKED));
  GET DIAGNOSTICS deleted = ROW_COUNT;
  ${answer(`to_json(deleted = ${FORGOTTEN})`)}`,
  ),
]

/** Each brings a store from the version before to its own. They only add. A version that was published never changes. */
const MIGRATIONS = [TABLES + FUNCTIONS.join('')]

export const VERSION = MIGRATIONS.length

const quoted = (name: string): string => `"${name}"`

/** The channel of notifications of a store. */
export const channelOf = (schema: string, table: string): string =>
  `timeout_wheel_${createHash('md5').update(`${schema}.${table}`).digest('hex')}`

/** One statement, and so one transaction, which makes a store or brings it to the present version. It fails if the store is newer. */
export function migrationOf(schema: string, table: string): string {
  const inSchema = (name: string): string => `${quoted(schema)}.${quoted(name)}`
  const migrations = MIGRATIONS.map((text, i) => {
    const named = text
      .replace(/@(_\w+)?/g, (_, more = '') => inSchema(table + more))
      .replace(/#(_\w+)/g, (_, more) => quoted(table + more))
      .replaceAll('$channel', channelOf(schema, table))
    return `IF version <= ${i} THEN EXECUTE $migration$${named}$migration$; END IF;`
  })
  const stores = inSchema('timeout_wheel_stores')
  return `
DO $do$
DECLARE version integer;
BEGIN
  -- One process at a time: two that make a table at once fail.
  PERFORM pg_advisory_xact_lock(hashtext('timeout-wheel'));
  IF to_regnamespace('${quoted(schema)}') IS NULL THEN CREATE SCHEMA ${quoted(schema)}; END IF;
  IF to_regclass('${stores}') IS NULL THEN CREATE TABLE ${stores} (name text PRIMARY KEY, version integer NOT NULL); END IF;
  SELECT s.version INTO version FROM ${stores} AS s WHERE s.name = '${table}';
  version := coalesce(version, 0);
  IF version > ${VERSION} THEN
    RAISE EXCEPTION USING ERRCODE = 'TW001', MESSAGE =
      format('the store ${table} has version %s, which a newer timeout-wheel has written; this one knows ${VERSION}', version);
  END IF;
  ${migrations.join('\n  ')}
  IF version < ${VERSION} THEN
    INSERT INTO ${stores} VALUES ('${table}', ${VERSION}) ON CONFLICT (name) DO UPDATE SET version = excluded.version;
  END IF;
END $do$`
}
