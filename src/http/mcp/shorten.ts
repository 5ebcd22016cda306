/** Characters of an answer, unless more is asked for: an assistant reads all of them. */
const MOST = 5_500

interface List {
  path: string
  items: unknown[]
  size: number
  replace: (items: unknown[]) => void
}

/**
 * Leaves out the last items of the longest lists, until an answer is short enough to read. The lists of a series belong together and stay
 * whole.
 * @param answer JSON
 * @returns what is left, and for each list that was cut how many items it has now: `data: 12 of 25`
 */
export function shorten(answer: unknown): { short: unknown; cut: string[] } {
  const root = { answer: structuredClone(answer) }
  const cut = new Map<string, string>()
  const counts = new Map<string, number>()
  for (;;) {
    const excess = JSON.stringify(root.answer).length - MOST
    const lists = excess > 0 ? listsIn(root, '') : []
    const longest = lists.sort((a, b) => b.size - a.size)[0]
    if (!longest) return { short: root.answer, cut: [...cut.values()] }
    const { items, size, replace } = longest
    const path = longest.path.replace(/^answer\./, '')
    const left = Math.max(1, Math.min(items.length - 1, Math.floor(items.length * (1 - excess / size))))
    const of = counts.get(path) ?? items.length
    counts.set(path, of)
    replace(items.slice(0, left))
    cut.set(path, `${path}: ${left} of ${of}`)
  }
}

/** Returns the lists of two or more items, however deep, but for those of series. */
function listsIn(parent: object, path: string): List[] {
  const entries = Object.entries(parent) as [string, unknown][]
  const lengths = entries.flatMap(([, value]) => (Array.isArray(value) ? [value.length] : []))
  const isSeries = !Array.isArray(parent) && new Set(lengths).size < lengths.length
  return entries.flatMap(([name, value]) => {
    if (typeof value !== 'object' || value === null) return []
    const inner = path === '' ? name : `${path}.${name}`
    const within = listsIn(value, inner)
    if (!Array.isArray(value) || value.length < 2 || isSeries) return within
    const replace = (items: unknown[]) => void Reflect.set(parent, name, items)
    return [{ path: inner, items: value, size: JSON.stringify(value).length, replace }, ...within]
  })
}
