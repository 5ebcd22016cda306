import { useFormat } from '../format/format.ts'
import { useText } from '../text/text.tsx'
import type { LineSeries, TimeChartProps } from './series.ts'

/** The numbers of a chart for screen readers. */
export function SeriesTable({ title, labels, group, lines, bars = [] }: TimeChartProps) {
  const { common } = useText()
  const format = useFormat()
  const all: LineSeries[] = [...lines, ...bars]
  return (
    <div className="only-read">
      <table>
        <caption>{common.table(title)}</caption>
        <thead>
          <tr>
            <th scope="col">{common.date}</th>
            {all.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {labels.map((label, index) => (
            <tr key={label}>
              <th scope="row">{format.bucket(label, group)}</th>
              {all.map(({ name, values, drawn = labels.length, format: write, exact = write }) => (
                <td key={name}>
                  {Number.isNaN(values[index]) || index >= drawn ? '–' : exact(values[index] ?? 0)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
