import { useFormat } from '../format/format.ts'
import css from './chart.module.css'
import { bucketX, RIGHT } from './scales.ts'
import type { LineSeries, TimeChartProps } from './series.ts'

interface Props extends TimeChartProps {
  width: number
  /** Room for the numbers of the scale. */
  left: number
  index: number
}

const WIDTH = 216

/** The numbers of one bucket, beside the cursor; read out when the arrow keys move it. */
export function Readout({ labels, group, lines, bars = [], marks = [], width, left: room, index }: Props) {
  const format = useFormat()
  const middle = bucketX({ left: room, right: width - RIGHT, top: 0, bottom: 0 }, labels.length)(index)
  const left = middle + 14 + WIDTH > width ? Math.max(0, middle - 14 - WIDTH) : middle + 14
  return (
    <div className={css.box} style={{ left, width: WIDTH }} role="status">
      <p className={css.title}>{format.bucket(labels[index]!, group)}</p>
      <dl>
        {([...lines, ...bars] as LineSeries[]).map(series => {
          const { name, values, tone, format: write, labels: own, drawn } = series
          const label = own?.[index]
          const isMissing = (drawn !== undefined && index >= drawn) || Number.isNaN(values[index])
          return (
            <div key={name} className={css.row}>
              <dt>
                <i className={`${css.key} ${css[tone]}`} />
                {label === undefined ? name : `${name} · ${format.axis(label, group)}`}
              </dt>
              <dd className={css[tone]}>{isMissing ? '–' : write(values[index] ?? 0)}</dd>
            </div>
          )
        })}
      </dl>
      {marks
        .filter(mark => mark.index === index)
        .map(({ text }) => (
          <p key={text} className={css.remark}>
            {text}
          </p>
        ))}
    </div>
  )
}
