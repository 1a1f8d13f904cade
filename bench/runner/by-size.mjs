/** Parts that measure works with several numbers of operations in a turn: a sample has a value for each work and number. */

const keyOf = (work, size) => `${work} ${size}`

/** The values of one sample. `measure(work, size)` returns a figure. */
export async function measureBySize(works, sizes, measure) {
  const values = {}
  for (const work of works) {
    for (const size of sizes) values[keyOf(work, size)] = await measure(work, size)
  }
  return values
}

/** Splits each row into one for each number, because documents compare rows. `id-16` is the row for 16. */
export const splitBySize = (rows, works, sizes) =>
  sizes.flatMap((size) =>
    rows.map(({ id, label, group, against = 'native', values }) => {
      const own = works.map((work) => [work, values[keyOf(work, size)]]).filter(([, value]) => value)
      return {
        ...{ id: `${id}-${size}`, label: `${size.toLocaleString('en-US')}, ${label}` },
        ...{ group, against: `${against}-${size}`, values: Object.fromEntries(own) },
      }
    }),
  )
