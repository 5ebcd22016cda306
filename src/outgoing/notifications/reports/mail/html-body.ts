import { escaped } from '../../../../platform/mail/letter.ts'
import { PICTURE } from '../pictures/series-picture.ts'
import type { Figure, List, ReportContent, SeriesView } from './content.ts'
import { buttonLink, card, FONT, footRow, htmlDocument, INK, inked } from './html-document.ts'
import type { Frame } from './text-body.ts'

/** Returns the report as HTML. Its pictures have the address `cid:` and their name. */
export function htmlBody(content: ReportContent, frame: Frame, title: string): string {
  const { texts, figures, visitors, revenue, recurring, lists, comparedWith, timeZone } = content
  const cards = [
    card(
      [
        headOf(content),
        figureTable(figures),
        picture(content, visitors, PICTURE.height),
        ...(revenue ? [picture(content, revenue, PICTURE.height / 2)] : []),
        `<p style="margin:12px 0 16px">${inked('third', 12, escaped(`${comparedWith} ${timeZone}`))}</p>`,
        buttonLink(frame.url, texts.open),
      ].join('\n'),
    ),
    ...(recurring.length > 0 ? [card(listTable(texts.money, recurring))] : []),
    ...lists.map(list => card(rankTable(list, texts.nothingListed))),
  ]
  return documentOf(content, frame, title, cards.join('\n'))
}

/** Returns the mail about a period in which nothing happened, as HTML. */
export function emptyHtml(content: ReportContent, frame: Frame, title: string): string {
  const { texts, domain, days } = content
  const says = [texts.empty(domain, days), texts.emptyHint].map(
    text => `<p style="margin:0 0 12px">${inked('text', 15, escaped(text), 'line-height:22px')}</p>`,
  )
  return documentOf(
    content,
    frame,
    title,
    card([headOf(content), ...says, buttonLink(frame.url, texts.open)].join('\n')),
  )
}

const documentOf = (content: ReportContent, frame: Frame, title: string, cards: string) =>
  htmlDocument(
    { lang: content.texts.locale.slice(0, 2), title, preview: `${content.title}, ${content.days}` },
    cards,
    footRow(content.texts, content.domain, frame),
  )

const headOf = ({
  domain,
  title,
  days,
}: ReportContent): string => `<h1 style="margin:0 0 16px;line-height:24px">
${inked('text', 18, bdi(domain), 'font-weight:700;overflow-wrap:anywhere;word-break:break-word')}<br>
${inked('second', 13, escaped(`${title}, ${days}`), 'font-weight:400')}
</h1>`

const COLUMNS = 3

function figureTable(figures: Figure[]): string {
  const rows: string[] = []
  for (let start = 0; start < figures.length; start += COLUMNS) {
    const cells = figures.slice(start, start + COLUMNS).map(figureCell)
    while (cells.length < COLUMNS) cells.push(`<td width="33%"></td>`)
    rows.push(`<tr>${cells.join('')}</tr>`)
  }
  return `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="table-layout:fixed">${rows.join('\n')}</table>`
}

function figureCell({ label, value, change, isMoney }: Figure): string {
  const tone = change && { good: 'good', bad: 'bad', same: 'third' }[change.tone]
  return `<td width="33%" valign="top" style="padding:0 6px 14px 0;overflow-wrap:anywhere">
${inked('second', 12, escaped(label))}<br>
${inked(isMoney ? 'money' : 'text', 20, escaped(value), 'font-weight:700;line-height:28px', 'figure')}<br>
${change ? inked(tone as 'good', 12, escaped(change.shown)) : inked('third', 12, '–')}
</td>`
}

/** Programs that show no pictures show the text in its place. */
const picture = (
  { texts }: ReportContent,
  { cid, label, highest }: SeriesView,
  height: number,
): string => `<div style="padding:4px 0 0">
${inked('third', 12, escaped(label))}
<img src="cid:${cid}" width="${PICTURE.width}" height="${height}" alt="${escaped(texts.seriesPicture(label, highest))}" style="display:block;width:100%;max-width:${PICTURE.width}px;height:auto;border:0;${FONT};font-size:12px;color:${INK.third}">
</div>`

const HEAD = `style="margin:0 0 6px;${FONT};font-size:14px;line-height:20px"`

const listTable = (
  title: string,
  rows: { label: string; value: string }[],
): string => `<h2 ${HEAD}>${inked('text', 14, escaped(title), 'font-weight:700')}</h2>
<table width="100%" cellpadding="0" cellspacing="0" border="0" style="table-layout:fixed">
${rows
  .map(
    ({ label, value }) => `<tr>
<th scope="row" align="left" style="padding:5px 0;font-weight:400">${inked('text', 14, escaped(label))}</th>
<td align="right" style="padding:5px 0">${inked('money', 14, escaped(value))}</td>
</tr>`,
  )
  .join('\n')}
</table>`

function rankTable({ title, value, second, rows }: List, nothing: string): string {
  const head = `<h2 ${HEAD}>${inked('text', 14, escaped(title), 'font-weight:700')}</h2>`
  if (rows.length === 0) return `${head}\n${inked('third', 13, escaped(nothing))}`
  const columns = [value, ...(second ? [second.label] : [])]
  return `${head}
<table width="100%" cellpadding="0" cellspacing="0" border="0" style="table-layout:fixed">
<tr><td></td>${columns
    .map(
      label =>
        `<th scope="col" class="column" width="92" align="right" style="width:92px;padding:0 0 4px;font-weight:400">${inked('third', 12, escaped(label))}</th>`,
    )
    .join('')}</tr>
${rows
  .map(
    row => `<tr>
<th scope="row" align="left" style="padding:2px 0;font-weight:400">${bar(row.share, bdi(row.name))}</th>
<td align="right" valign="top" style="padding:6px 0">${inked('text', 14, escaped(row.value))}</td>${
      row.second === undefined
        ? ''
        : `
<td align="right" valign="top" style="padding:6px 0">${inked(second?.isMoney ? 'money' : 'text', 14, escaped(row.second))}</td>`
    }
</tr>`,
  )
  .join('\n')}
</table>`
}

/** A wash behind the name, as long as its share. It is clear, so that it fits any background; programs without it lose nothing. */
function bar(share: number, html: string): string {
  const end = `${Math.round(1000 * share) / 10}%`
  const wash = `linear-gradient(90deg,rgba(22,140,172,0.16) ${end},rgba(22,140,172,0) ${end})`
  return `<div style="padding:4px 8px;border-radius:6px;background-image:${wash};overflow-wrap:anywhere;word-break:break-word">${inked('text', 14, html, 'line-height:20px')}</div>`
}

/** Names from hits may run in the other direction. */
const bdi = (text: string): string => `<bdi>${escaped(text)}</bdi>`
