import { z } from 'zod'

/**
 * Schema of a value that a query string has as JSON text, and a call in code as it is.
 * @param whole what is said of a list of such texts: the parameter was given more than once
 * @param what the value, for the message about invalid JSON
 */
export const jsonParameter = <Schema extends z.ZodType>(
  schema: Schema,
  { whole, what, longest }: { whole: string; what: string; longest: number },
) =>
  z.preprocess((given: unknown, context) => {
    const refuse = (message: string) => {
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    }
    if (Array.isArray(given) && given.some(each => typeof each === 'string')) {
      return refuse(`must be given once, ${whole}`)
    }
    if (typeof given !== 'string') return given
    if (given.length > longest) return refuse(`must be at most ${longest} characters`)
    try {
      return JSON.parse(given) as unknown
    } catch {
      return refuse(`must be valid JSON: ${what}`)
    }
  }, schema)
