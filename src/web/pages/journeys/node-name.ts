import { useText } from '../../text/text.tsx'
import type { Journeys, Node } from './layout.ts'

/** Returns how a node is called: its value, all further ones, or where sessions end. */
export function useNodeName(direction: Journeys['direction']): (node: Node) => string {
  const { journeys: text } = useText()
  return ({ kind, value }) => value ?? (kind === 'end' ? text.end[direction] : text.other)
}
