import { senderCredentials, senderHeaders } from './client.ts'
import { AnswerError } from './failure.ts'
import { changeSignedIn } from './session.ts'

/** A value of a query parameter; operators of filters are objects: `{contains: ['/a']}`. */
type Parameter = string | number | boolean | readonly string[] | { [operator: string]: unknown } | undefined

/**
 * Saves an answer of the API as a file.
 * @param path of the API, such as `sites/example.com/stats/breakdown`
 * @param name of the file
 * @param accept content type that is asked for; by default that of the endpoint
 * @throws Error with what the service said
 */
export async function download(
  path: string,
  query: Record<string, unknown>,
  name: string,
  accept?: string,
): Promise<void> {
  const address = new URL(`api/${path}`, document.baseURI)
  for (const [key, value] of Object.entries(query)) append(address.searchParams, key, value as Parameter)
  const headers = { ...senderHeaders(), ...(accept && { Accept: accept }) }
  const answer = await changeSignedIn(async () => {
    const given = await fetch(address, { headers, credentials: senderCredentials() })
    if (!given.ok) throw new AnswerError(((await given.json()) as { message: string }).message, given.status)
    return given
  })
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await answer.blob())
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

function append(params: URLSearchParams, key: string, value: Parameter): void {
  if (value === undefined) return
  if (Array.isArray(value)) for (const each of value) params.append(key, each)
  else if (typeof value === 'object') {
    for (const [operator, values] of Object.entries(value)) {
      append(params, operator === 'is' ? key : `${key}[${operator}]`, values as Parameter)
    }
  } else params.append(key, String(value))
}
