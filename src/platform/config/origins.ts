import { z } from 'zod'

const ALLOWED =
  'origins such as https://example.com or https://*.example.com, without a path, separated by spaces or commas; or * alone, for all'

const HOST = /^(\*\.)?([a-z0-9_-]+\.)*[a-z0-9_-]+$/

/** Schema of a list of origins, as the sources of a content security policy. */
export const originList = z.string().transform((value, context) => {
  const given = value.split(/[\s,]+/).filter(each => each !== '')
  const origins = given.length === 1 && given[0] === '*' ? given : given.map(originOf)
  if (origins.length === 0 || origins.includes(undefined)) {
    context.addIssue({ code: 'custom', message: ALLOWED })
    return z.NEVER
  }
  return [...new Set(origins)].join(' ')
})

/** Returns an origin in the form in which browsers compare it; undefined for any other text. */
function originOf(text: string): string | undefined {
  if (!/^https?:\/\/[^/?#@\\%]+$/i.test(text) || !URL.canParse(text)) return undefined
  const { protocol, host, hostname } = new URL(text)
  return HOST.test(hostname) ? `${protocol}//${host}` : undefined
}
