/** Bytes of the message that has an answer, unless more is asked for: an assistant reads all of them. */
const MOST = 6_000
/** Of these for the envelope of the message, and for the sentence on what is left out. */
const RESERVED = 400
/** Bytes that texts are cut to, one after the other. A path or a title of the last but one can be recognized, an id of the last is whole. */
const TEXTS = [2_000, 1_000, 500, 200, 40]
/** Texts are not cut below it while a list can be. */
const READABLE_TEXT = 200
/** What visitors and users have of their own names and values. */
const FREE_FIELDS = new Set(['properties', 'custom'])

/** What can be cut to fewer items. */
interface Part {
  path: string
  length: number
  /** Bytes. */
  size: number
  /** Of what is in order of time, the newest items are kept. */
  kept: 'first' | 'last'
  cut: (left: number) => void
}

/**
 * Cuts long texts and the longest lists, until an answer is short enough to read. Series are cut together with their labels.
 * @param answer JSON
 * @param beside what the message has besides
 * @returns what is left, and of each part that was cut how much: `the first 12 of 25 in data`
 */
export function shorten(answer: unknown, beside: object = {}): { short: unknown; cut: string[] } {
  const most = MOST - RESERVED - bytesOf(beside)
  const root = { answer }
  let cut: string[] = []
  for (const longest of TEXTS) {
    if (bytesOf(root.answer) <= most) break
    const { texts, areCut } = withShortTexts(answer, longest)
    root.answer = texts
    const lists = longest <= READABLE_TEXT ? cutLists(root, most) : []
    cut = [...lists, ...(areCut ? [`the first ${longest} bytes of long texts`] : [])]
  }
  return { short: root.answer, cut }
}

/** Returns the bytes that a message takes for JSON in a text, which is quoted once more. */
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(JSON.stringify(value)))

/** Returns a copy without what texts have beyond `longest` bytes. */
function withShortTexts(answer: unknown, longest: number): { texts: unknown; areCut: boolean } {
  let areCut = false
  const texts = JSON.parse(JSON.stringify(answer), (_, value) => {
    if (typeof value !== 'string' || Buffer.byteLength(value) <= longest) return value
    areCut = true
    // A character that is cut in its middle is left out.
    return `${new TextDecoder().decode(Buffer.from(value).subarray(0, longest), { stream: true })}…`
  })
  return { texts, areCut }
}

function cutLists(root: { answer: unknown }, most: number): string[] {
  const cut = new Map<string, string>()
  const lengths = new Map<string, number>()
  for (;;) {
    const excess = bytesOf(root.answer) - most
    const parts = excess > 0 ? partsIn(root, '').filter(({ length }) => length > 1) : []
    const longest = parts.sort((a, b) => b.size - a.size)[0]
    if (!longest) return [...cut.values()]
    const { length, size, kept } = longest
    const path = longest.path.replace(/^answer\./, '')
    // At most half of it at a time, so that another list that is then longer loses items, too.
    const left = Math.min(length - 1, Math.ceil(length * Math.max(0.5, 1 - excess / size)))
    const of = lengths.get(path) ?? length
    lengths.set(path, of)
    longest.cut(left)
    cut.set(path, `the ${kept} ${left} of ${of} in ${path}`)
  }
}

/** Returns lists, series and free fields, however deep. */
function partsIn(parent: object, path: string): Part[] {
  return Object.entries(parent).flatMap(([name, value]) => {
    if (typeof value !== 'object' || value === null) return []
    const inner = path === '' ? name : `${path}.${name}`
    if (Array.isArray(value.labels)) return [seriesPart(value, inner)]
    const set = (items: unknown) => void Reflect.set(parent, name, items)
    const part = { path: inner, size: bytesOf(value), kept: 'first' } as const
    if (FREE_FIELDS.has(name)) {
      const entries = Object.entries(value)
      return [
        { ...part, length: entries.length, cut: left => set(Object.fromEntries(entries.slice(0, left))) },
      ]
    }
    const within = partsIn(value, inner)
    if (!Array.isArray(value)) return within
    const { length } = value
    return isInOrderOfTime(value)
      ? [{ ...part, length, kept: 'last', cut: left => set(value.slice(-left)) }, ...within]
      : [{ ...part, length, cut: left => set(value.slice(0, left)) }, ...within]
  })
}

/** Whether the items are buckets of time, or cohorts: all say where they begin, the oldest first. */
const isInOrderOfTime = ([item]: unknown[]): boolean =>
  typeof item === 'object' && item !== null && ('start' in item || 'periods' in item)

/** The lists of a series, however deep. The first item of each belongs to the first label. */
function seriesPart(series: { labels: unknown[] }, path: string): Part {
  const { length } = series.labels
  const columns = columnsIn(series)
  const cut = (left: number) => {
    for (const { parent, name, values } of columns)
      Reflect.set(parent, name, values.slice(length - left, length))
  }
  const size = columns.reduce((sum, { values }) => sum + bytesOf(values), 0)
  return { path: `${path}.labels and their values`, length, size, kept: 'last', cut }
}

function columnsIn(parent: object): { parent: object; name: string; values: unknown[] }[] {
  return Object.entries(parent).flatMap(([name, value]) => {
    if (typeof value !== 'object' || value === null) return []
    if (!Array.isArray(value)) return columnsIn(value)
    const isColumn = name.endsWith('labels') || value.every(each => typeof each === 'number')
    return isColumn ? [{ parent, name, values: value }] : []
  })
}
