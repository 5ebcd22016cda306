import { useState } from 'react'
import { useWidth } from '../../chart/widths.ts'
import { useFormat } from '../../format/format.ts'
import { HostileText } from '../../parts/hostile-text.tsx'
import { useText } from '../../text/text.tsx'
import { useNodeName } from './journey-list.tsx'
import css from './journeys.module.css'
import { BAR_WIDTH, type Journeys, type PlacedLink, type PlacedNode, placeJourneys } from './layout.ts'

interface Props {
  journeys: Journeys
  /** Follows another value. */
  onFollow(value: string): void
}

const LEAST_COLUMN = 170

/** The ways of sessions: a column for each step, with bands as high as the sessions that take them. */
export function JourneyPicture({ journeys, onFollow }: Props) {
  const { journeys: text } = useText()
  const { exact } = useFormat()
  const [ref, width] = useWidth<HTMLDivElement>()
  const [near, setNear] = useState<PlacedNode>()
  const inner = Math.max(width, journeys.steps.length * LEAST_COLUMN)
  const picture = placeJourneys(journeys, inner)
  return (
    <div ref={ref} className={css.scroll}>
      {width > 0 && (
        <div className={css.picture} style={{ width: inner, height: picture.height }}>
          <svg className={css.svg} width={inner} height={picture.height} aria-hidden="true">
            {picture.links.map(link => (
              <path
                key={`${link.step} ${link.from} ${link.to}`}
                className={[
                  link.isValue ? css.link : css.rest,
                  near && (touches(link, near) ? css.lit : css.dim),
                ].join(' ')}
                d={link.path}
              >
                <title>{exact(link.sessions)}</title>
              </path>
            ))}
            {picture.nodes.map(({ step, index, node, x, y, bar }) => (
              <rect
                key={`${step} ${index}`}
                className={node.kind === 'value' ? css.bar : css.quiet}
                x={x}
                y={y}
                width={BAR_WIDTH}
                height={bar}
                rx={2}
              />
            ))}
          </svg>
          {journeys.steps.map(({ step }) => (
            <span
              key={step}
              className={css.head}
              style={{ left: picture.nodes.find(each => each.step === step)?.x ?? 0 }}
            >
              {step === 0
                ? text.start[journeys.direction]
                : journeys.direction === 'from'
                  ? text.after(exact(step))
                  : text.before(exact(step))}
            </span>
          ))}
          {picture.nodes.map(placed => (
            <NodeLabel
              key={`${placed.step} ${placed.index}`}
              placed={placed}
              journeys={journeys}
              width={picture.columnWidth}
              onNear={setNear}
              onFollow={onFollow}
            />
          ))}
        </div>
      )}
    </div>
  )
}

const touches = ({ step, from, to }: PlacedLink, near: PlacedNode) =>
  (step === near.step && to === near.index) || (step === near.step + 1 && from === near.index)

interface LabelProps {
  placed: PlacedNode
  journeys: Journeys
  width: number
  onNear(node: PlacedNode | undefined): void
  onFollow(value: string): void
}

function NodeLabel({ placed, journeys, width, onNear, onFollow }: LabelProps) {
  const { journeys: text, common } = useText()
  const format = useFormat()
  const nameOf = useNodeName(journeys.direction)
  const { node, step, x, y } = placed
  const name = nameOf(node)
  const percent = format.roughPercent((100 * node.sessions) / Math.max(1, journeys.steps[0]!.sessions))
  const spoken = text.nodeText(name, common.visits(format.exact(node.sessions)), percent)
  const place = { left: x + BAR_WIDTH + 2, top: y, maxWidth: width - BAR_WIDTH - 20 }
  const events = {
    onPointerEnter: () => onNear(placed),
    onPointerLeave: () => onNear(undefined),
  }
  const content = (
    <>
      <span className={css.name}>
        <HostileText>{name}</HostileText>
      </span>
      <span className={css.count}>{format.count(node.sessions)}</span>
    </>
  )
  if (node.value === null || step === 0) {
    return (
      <div
        className={`${css.label} ${step === 0 ? css.first : css.plain}`}
        style={place}
        title={spoken}
        {...events}
      >
        {content}
      </div>
    )
  }
  return (
    <button
      type="button"
      className={css.label}
      style={place}
      title={spoken}
      onFocus={() => onNear(placed)}
      onBlur={() => onNear(undefined)}
      onClick={() => onFollow(node.value!)}
      {...events}
    >
      {content}
    </button>
  )
}
