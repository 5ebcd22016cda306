import { fill } from '../../storage/columns/fill.ts'
import type { Journeys } from './journeys-query.ts'

/** No value. */
export const END = -1

/** Values of all journeys, one journey after the other, `width` each; `END` where a journey has none. */
interface Followed {
  size: number
  width: number
  values: Int32Array
}

type Node = Journeys['steps'][number]['nodes'][number]

/** Counts journeys step by step. */
export function countSteps(
  { size, width, values }: Followed,
  texts: string[],
  { steps, branches }: { steps: number; branches: number },
): Journeys['steps'] {
  const counted: Journeys['steps'] = []
  // The node of each journey at the step before; those that have ended are left out.
  let nodeBefore = new Int32Array(size)
  let active = fill(new Uint32Array(size), index => index)
  for (let step = 0; step <= steps && active.length > 0; step++) {
    const counts = new Uint32Array(texts.length)
    for (const index of active) {
      const value = values[index * width + step]!
      if (value !== END) counts[value]!++
    }
    const { nodes, nodeOf } = nodesOf(counts, texts, { branches, all: active.length })
    const endNode = nodes.findIndex(({ kind }) => kind === 'end')
    const nodeNow = new Int32Array(size)
    const links = new Map<number, number>()
    const goingOn = new Uint32Array(active.length)
    let sessions = 0
    for (const index of active) {
      const value = values[index * width + step]!
      const node = value === END ? endNode : nodeOf[value]!
      nodeNow[index] = node
      const link = nodeBefore[index]! * MOST_NODES + node
      links.set(link, (links.get(link) ?? 0) + 1)
      if (value !== END) goingOn[sessions++] = index
    }
    counted.push({ step, sessions, nodes, links: step === 0 ? [] : linksOf(links) })
    nodeBefore = nodeNow
    active = goingOn.subarray(0, sessions)
  }
  return counted
}

/** More than a step has. */
const MOST_NODES = 100

function nodesOf(
  counts: Uint32Array,
  texts: string[],
  { branches, all }: { branches: number; all: number },
): { nodes: Node[]; nodeOf: Int32Array } {
  // Texts are in the order of their bytes.
  const ranked = texts
    .map((_, id) => id)
    .filter(id => counts[id]! > 0)
    .sort((a, b) => counts[b]! - counts[a]! || a - b)
  const shown = ranked.slice(0, branches)
  const nodes: Node[] = shown.map(id => ({ kind: 'value', value: texts[id]!, sessions: counts[id]! }))
  const nodeOf = new Int32Array(texts.length).fill(nodes.length)
  for (const [node, id] of shown.entries()) nodeOf[id] = node
  const sumOf = (ids: number[]) => ids.reduce((sum, id) => sum + counts[id]!, 0)
  const others = sumOf(ranked.slice(branches))
  if (others > 0) nodes.push({ kind: 'other', value: null, sessions: others })
  const ended = all - sumOf(ranked)
  if (ended > 0) nodes.push({ kind: 'end', value: null, sessions: ended })
  return { nodes, nodeOf }
}

const linksOf = (links: Map<number, number>) =>
  [...links]
    .sort(([a], [b]) => a - b)
    .map(([link, sessions]) => ({
      from: Math.floor(link / MOST_NODES),
      to: link % MOST_NODES,
      sessions,
    }))
