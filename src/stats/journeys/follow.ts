import { type MomentBlock, type Moments, readMoments } from '../moments/moments.ts'
import { endOfUnit, orderMoments } from '../moments/order.ts'
import type { Journeys } from './query.ts'

/** Inputs and outputs of the journey task of the pattern threads. */
export interface JourneyTasks {
  followJourneys: { input: FollowInput; output: Journeys['steps'] }
}

interface FollowInput {
  blocks: MomentBlock[]
  value: string
  isBackwards: boolean
  steps: number
  branches: number
}

/** Task of a pattern thread: it needs no database, and the time it takes does not hold up other reads. */
export const journeyTasks = {
  followJourneys({ blocks, value, isBackwards, steps, branches }: FollowInput): Journeys['steps'] {
    const moments = readMoments(blocks)
    const journeys = findJourneys(moments, moments.texts.indexOf(value), { isBackwards, steps })
    return countSteps(journeys, moments.texts, { steps, branches })
  },
}

/** No value. */
export const END = -1

/** Values of all journeys, one journey after the other, `width` each; `END` where a journey has none. */
interface Followed {
  size: number
  width: number
  values: Int32Array
}

function findJourneys(
  moments: Moments,
  chosen: number,
  { isBackwards, steps }: { isBackwards: boolean; steps: number },
): Followed {
  const order = orderMoments(moments)
  const width = steps + 1
  const most = moments.values.reduce((count, value) => count + Number(value === chosen), 0)
  const found: Followed = { size: 0, width, values: new Int32Array(most * width).fill(END) }
  const direction = isBackwards ? -1 : 1
  for (let first = 0; first < order.length; ) {
    const end = endOfUnit(moments, order, first)
    let place = first
    while (place < end && moments.values[order[place]!] !== chosen) place++
    if (place < end) {
      const journey = found.values.subarray(found.size * width, ++found.size * width)
      // A value that follows itself is one step.
      for (let step = -1, last = END; place >= first && place < end; place += direction) {
        const value = moments.values[order[place]!]!
        if (value === last) continue
        if (++step === width) break
        journey[step] = value
        last = value
      }
    }
    first = end
  }
  return found
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
  let active = Uint32Array.from({ length: size }, (_, index) => index)
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
