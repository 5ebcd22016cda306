import { useFormat } from '../../format/format.ts'
import { HostileText } from '../../parts/hostile-text.tsx'
import { useText } from '../../text/text.tsx'
import type { Journeys, Node } from './layout.ts'

/** The same as the picture for screen readers: each step, its values, and where the sessions of each go on. */
export function JourneyList({ journeys: { steps, direction } }: { journeys: Journeys }) {
  const { journeys: text, common } = useText()
  const { exact, roughPercent: percent } = useFormat()
  const nameOf = useNodeName(direction)
  const all = Math.max(1, steps[0]?.sessions ?? 1)
  const headOf = (step: number) => {
    if (step === 0) return text.start[direction]
    return direction === 'from' ? text.after(exact(step)) : text.before(exact(step))
  }
  return (
    <section className="only-read" aria-label={text.asList}>
      <ol>
        {steps.map(({ step, nodes }) => (
          <li key={step}>
            {headOf(step)}
            <ul>
              {nodes.map((node, index) => {
                const next = steps[step + 1]
                const links = next?.links.filter(({ from }) => from === index) ?? []
                return (
                  <li key={node.value ?? node.kind}>
                    <HostileText>
                      {text.nodeText(
                        nameOf(node),
                        common.visits(exact(node.sessions)),
                        percent((100 * node.sessions) / all),
                      )}
                    </HostileText>
                    {links.length > 0 && (
                      <ul>
                        {links.map(({ to, sessions }) => (
                          <li key={to}>
                            <HostileText>
                              {`${nameOf(next!.nodes[to]!)}: ${common.visits(exact(sessions))}`}
                            </HostileText>
                          </li>
                        ))}
                      </ul>
                    )}
                  </li>
                )
              })}
            </ul>
          </li>
        ))}
      </ol>
    </section>
  )
}

/** Returns how a node is called: its value, all further ones, or where sessions end. */
export function useNodeName(direction: Journeys['direction']): (node: Node) => string {
  const { journeys: text } = useText()
  return ({ kind, value }) => value ?? (kind === 'end' ? text.end[direction] : text.other)
}
