import type { List, ReportContent } from './content.ts'

/** What stands around a report in its mail. */
export interface Frame {
  /** The same period in the web interface. */
  url: string
  address: string
  unsubscribeUrl: string
}

/** Returns the report as text. */
export function textBody(content: ReportContent, frame: Frame): string {
  const { texts, domain, figures, recurring, lists } = content
  const blocks = [
    [domain, `${content.title}, ${content.days}`],
    aligned(
      figures.map(({ label, value, change }) => [label, change ? `${value} (${change.spoken})` : value]),
    ),
    [`${content.comparedWith} ${content.timeZone}`],
    ...(recurring.length > 0
      ? [[texts.money, ...aligned(recurring.map(({ label, value }) => [label, value]))]]
      : []),
    ...lists.map(list => [headOf(list), ...rowsOf(list, texts.nothingListed)]),
    ...footOf(content, frame),
  ]
  return `${blocks.map(lines => lines.join('\n')).join('\n\n')}\n`
}

/** Returns the mail about a period in which nothing happened, as text. */
export function emptyText(content: ReportContent, frame: Frame): string {
  const { texts, domain, days } = content
  const blocks = [
    [domain, `${content.title}, ${days}`],
    [texts.empty(domain, days), texts.emptyHint],
    ...footOf(content, frame),
  ]
  return `${blocks.map(lines => lines.join('\n')).join('\n\n')}\n`
}

const footOf = ({ texts, domain }: ReportContent, { url, address, unsubscribeUrl }: Frame): string[][] => [
  [`${texts.open}:`, url],
  // Mail programs know by this line that the text is over.
  ['-- ', texts.why(address, domain), `${texts.unsubscribe}:`, unsubscribeUrl],
]

const headOf = ({ title, value, second }: List): string =>
  `${title} (${second ? `${value}, ${second.label}` : value})`

const rowsOf = ({ rows }: List, nothing: string): string[] =>
  rows.length === 0
    ? [nothing]
    : rows.map(({ name, value, second }) => `  ${second ? `${value}, ${second}` : value}: ${isolated(name)}`)

/** The direction of a name does not turn what stands beside it. */
const isolated = (name: string): string => `\u2068${name}\u2069`

function aligned(rows: string[][]): string[] {
  const width = Math.max(...rows.map(([label]) => label!.length))
  return rows.map(([label, value]) => `${label!.padEnd(width)}  ${value}`)
}
