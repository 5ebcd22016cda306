import type { Config } from '../config/config.ts'

/** A file of a mail that its HTML shows. */
export interface InlinePicture {
  /** Its address in the HTML is `cid:` and this name. */
  cid: string
  filename: string
  content: Buffer
  contentType: 'image/png'
}

export interface Mail {
  /** One address, without a name. */
  to: string
  subject: string
  text: string
  html?: string
  pictures?: InlinePicture[]
  /** Beside those that every mail has. */
  headers?: Record<string, string>
  /** With its angle brackets. A mail that is sent again has the same, so that mail programs show it once. */
  messageId?: string
}

/** Returns a mail in the form that nodemailer takes. */
export function messageOf(
  { from }: NonNullable<Config['mail']>,
  { to, subject, pictures = [], headers = {}, ...content }: Mail,
) {
  return {
    from,
    // As an object, it is one address: a text would be read as a list.
    to: { name: '', address: to },
    subject: oneLine(subject),
    ...content,
    ...(pictures.length > 0 && {
      attachments: pictures.map(picture => ({ ...picture, contentDisposition: 'inline' as const })),
    }),
    // Mail programs must not answer it with a notice of absence.
    headers: { 'Auto-Submitted': 'auto-generated', ...headers },
    // A mail is made of the given texts alone.
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

/** A line break would begin another header. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it removes
const oneLine = (text: string) => text.replace(/[\u0000-\u001f\u007f\u2028\u2029]+/g, ' ').trim()
