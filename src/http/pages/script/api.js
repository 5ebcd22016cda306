/** An error as the API answers it; `fields` are the messages by field. */
export class ApiError extends Error {
  constructor(status, body) {
    super(body.message)
    this.status = status
    this.code = body.code
    this.fields = body.errors ?? {}
  }
}

const UNREACHABLE = { message: 'The service cannot be reached. Check the connection and try again.' }

/** The pages stand at the top, those of shares one folder below. */
const root = location.pathname.split('/').at(-2) === 'share' ? '../' : ''

/**
 * Calls the API with the cookie of this browser, or as the bearer of something. The address is relative, so that the pages work below a path of a proxy.
 * @throws ApiError; its status is 0 when there was no answer
 */
export async function call(method, path, { body, team, bearer } = {}) {
  let answer
  let text
  try {
    answer = await fetch(`${root}api/${path}`, {
      method,
      headers: {
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(team !== undefined && { 'X-Team': team }),
        ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    text = await answer.text()
  } catch {
    throw new ApiError(0, UNREACHABLE)
  }
  const content = parsed(text)
  if (!answer.ok) throw new ApiError(answer.status, content ?? UNREACHABLE)
  return content
}

/** A proxy in front of the service may answer with a page of its own. */
function parsed(text) {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}
