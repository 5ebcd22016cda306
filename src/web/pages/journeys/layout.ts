import type { Outputs } from '../../api/client.ts'

export type Journeys = Outputs['stats']['journeys']
type Step = Journeys['steps'][number]
export type Node = Step['nodes'][number]

/** Where a node stands: its slot has room for a line of text, its bar is as high as its sessions. */
export interface PlacedNode {
  step: number
  index: number
  node: Node
  x: number
  y: number
  /** Height of the bar. */
  bar: number
  /** Height of the slot. */
  slot: number
}

/** A band from a node to one of the next column. */
export interface PlacedLink {
  /** Step of the node that it leads to, seen from the chosen value. */
  step: number
  from: number
  to: number
  sessions: number
  /** Whether it leads to a value; else sessions end, or go on in many ways. */
  isValue: boolean
  path: string
}

export interface Picture {
  nodes: PlacedNode[]
  links: PlacedLink[]
  height: number
  columnWidth: number
}

export const BAR_WIDTH = 8
const TOP = 28
const LEAST_SLOT = 26
const GAP = 6
/** Height of all sessions together. */
const WHOLE = 340

/** Places the nodes of each step in a column, and the links between them as bands as high as their sessions. */
export function placeJourneys({ steps, direction }: Journeys, width: number): Picture {
  const columnWidth = width / Math.max(1, steps.length)
  const perSession = WHOLE / Math.max(1, steps[0]?.sessions ?? 1)
  const columns = steps.map(({ nodes }, step) => {
    let y = TOP
    const x = (direction === 'from' ? step : steps.length - 1 - step) * columnWidth
    return nodes.map((node, index): PlacedNode => {
      const bar = Math.max(2, node.sessions * perSession)
      const slot = Math.max(LEAST_SLOT, bar)
      const placed = { step, index, node, x, y, bar, slot }
      y += slot + GAP
      return placed
    })
  })
  const links = steps.flatMap(({ links: all }, step) => {
    if (step === 0) return []
    const [left, entered] = [new Map<number, number>(), new Map<number, number>()]
    return all.map(({ from, to, sessions }): PlacedLink => {
      const [start, end] = [columns[step - 1]![from]!, columns[step]![to]!]
      const size = sessions * perSession
      const a = start.y + take(left, from, size)
      const b = end.y + take(entered, to, size)
      const path =
        direction === 'from'
          ? band(start.x + BAR_WIDTH, a, end.x, b, size)
          : band(end.x + BAR_WIDTH, b, start.x, a, size)
      return { step, from, to, sessions, isValue: end.node.kind === 'value', path }
    })
  })
  const nodes = columns.flat()
  return { nodes, links, columnWidth, height: Math.max(0, ...nodes.map(({ y, slot }) => y + slot)) + 4 }
}

/** Returns where the next band at a node begins. */
function take(used: Map<number, number>, node: number, size: number): number {
  const before = used.get(node) ?? 0
  used.set(node, before + size)
  return before
}

function band(x0: number, y0: number, x1: number, y1: number, size: number): string {
  const middle = (x0 + x1) / 2
  const height = Math.max(1, size)
  return (
    `M${x0},${y0}C${middle},${y0} ${middle},${y1} ${x1},${y1}` +
    `V${y1 + height}C${middle},${y1 + height} ${middle},${y0 + height} ${x0},${y0 + height}Z`
  )
}
