import { escaped } from '../../../../platform/mail/letter.ts'
import type { MailTexts } from './mail-texts.ts'
import type { Frame } from './text-body.ts'

// Mail programs know tables and inline styles; what they take from <style> (dark colours, narrow screens) is a gain, and never needed.

/** Inks of the web interface, on light paper. */
export const INK = {
  paper: '#fbfaf8',
  card: '#ffffff',
  line: '#e7e4de',
  text: '#1c1b19',
  second: '#5d5a54',
  third: '#6b6861',
  money: '#b45309',
  good: '#15803d',
  bad: '#b91c1c',
}

export const FONT =
  "font-family:system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans',Helvetica,Arial,sans-serif"

/** Classes are for the dark inks alone: `[data-ogs…]` is how Outlook on the web marks what it has recoloured. */
const DARK: [names: string, rule: string][] = [
  ['paper', 'background:#131416!important'],
  ['card', 'background:#1a1c1f!important;border-color:#2b2e33!important'],
  ['line', 'border-color:#2b2e33!important'],
  ['text', 'color:#ecebe8!important'],
  ['second', 'color:#b3b1ab!important'],
  ['third', 'color:#98968f!important'],
  ['money', 'color:#f0a658!important'],
  ['good', 'color:#5fc481!important'],
  ['bad', 'color:#f08484!important'],
  ['button', 'background:#ecebe8!important;color:#1c1b19!important'],
]

const STYLE = `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){${DARK.map(([name, rule]) => `.${name}{${rule}}`).join('')}}
@media (max-width:480px){.wide{padding-left:14px!important;padding-right:14px!important}.figure{font-size:16px!important}.column{width:76px!important}}`

/** The whole HTML of a mail: its inner tables on paper, 600 wide at most, above the reasons why it was sent. */
export function htmlDocument(
  { lang, title, preview }: { lang: string; title: string; preview: string },
  content: string,
  foot: string,
): string {
  return `<!doctype html>
<html lang="${lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body class="paper" style="margin:0;padding:0;background:${INK.paper};-webkit-text-size-adjust:100%">
<div style="display:none;max-height:0;overflow:hidden">${escaped(preview)}</div>
<table role="presentation" class="paper" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:${INK.paper}">
<tr><td align="center" style="padding:20px 8px">
<table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0" style="width:100%;max-width:600px;table-layout:fixed">
${content}
${foot}
</table>
</td></tr>
</table>
</body>
</html>
`
}

/** A row of the outer table: a card of the interface. */
export const card = (inner: string): string => `<tr><td style="padding:0 0 12px">
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" border="0" style="width:100%;table-layout:fixed;background:${INK.card};border:1px solid ${INK.line};border-radius:10px;border-collapse:separate">
<tr><td class="wide" style="padding:16px 24px">
${inner}
</td></tr>
</table>
</td></tr>`

type Tone = Exclude<keyof typeof INK, 'paper' | 'card' | 'line'>

/**
 * An inline text in one of the inks.
 * @param more further styles
 * @param names further classes
 */
export const inked = (tone: Tone, size: number, html: string, more = '', names = ''): string =>
  `<span class="${tone}${names && ` ${names}`}" style="${FONT};font-size:${size}px;color:${INK[tone]}${more && `;${more}`}">${html}</span>`

/** A link that looks like the main button of a page. */
export const buttonLink = (url: string, label: string): string =>
  `<a class="button" href="${escaped(url)}" style="${FONT};display:inline-block;padding:9px 16px;border-radius:7px;background:${INK.text};color:#ffffff;font-size:14px;font-weight:500;text-decoration:none">${escaped(label)}</a>`

/** Why the mail came, and the way out. */
export function footRow(texts: MailTexts, domain: string, { address, unsubscribeUrl }: Frame): string {
  const link = `<a class="third" href="${escaped(unsubscribeUrl)}" style="color:${INK.third}">${escaped(texts.unsubscribe)}</a>`
  return `<tr><td class="wide" style="padding:4px 24px 16px;overflow-wrap:anywhere;word-break:break-word">
${inked('third', 12, `${escaped(texts.why(address, domain))} ${link}`, 'line-height:18px')}
</td></tr>`
}
