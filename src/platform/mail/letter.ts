import type { Mail } from './message.ts'

/** A paragraph of text, or a link with what it does. */
export type Paragraph = string | { label: string; url: string }

/** Returns the two forms of a mail. It refers to no picture and no other file, so that no server learns that it was read. */
export function letter(paragraphs: Paragraph[], language = 'en'): Required<Pick<Mail, 'text' | 'html'>> {
  const text = paragraphs.map(each => (typeof each === 'string' ? each : `${each.label}:\n${each.url}`))
  const html = paragraphs.map(each => `<p>${typeof each === 'string' ? escaped(each) : link(each)}</p>`)
  return {
    text: `${text.join('\n\n')}\n`,
    html: `<!doctype html>\n<html lang="${language}"><body>\n${html.join('\n')}\n</body></html>\n`,
  }
}

const link = ({ label, url }: { label: string; url: string }) =>
  `<a href="${escaped(url)}">${escaped(label)}</a><br>${escaped(url)}`

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escaped = (text: string) => text.replace(/[&<>"']/g, character => ENTITIES[character]!)
