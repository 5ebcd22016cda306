/** What a tab knows of a share: its secret, from the link, and access that was given for its password. */
export interface Known {
  secret?: string
  access?: string
}

/** In a frame, a browser may refuse storage: then it holds until the frame is loaded anew, with the secret in its address. */
const memory = new Map<string, string>()

const read = (key: string): string | undefined => {
  try {
    return sessionStorage.getItem(key) ?? memory.get(key)
  } catch {
    return memory.get(key)
  }
}

const write = (key: string, value: string | undefined): void => {
  if (value === undefined) memory.delete(key)
  else memory.set(key, value)
  try {
    if (value === undefined) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, value)
  } catch {
    // Kept in memory.
  }
}

/** Secret of the address. It stands after `#`, so that no server and no log of a proxy ever gets it. */
export const secretInAddress = (): string | undefined => /^#(wsh_[\w-]+)$/.exec(location.hash)?.[1]

/** Returns what is known of the share of a site; a link with another secret is another share. */
export function knownOf(site: string): Known {
  const given = secretInAddress()
  if (given !== undefined && given !== read(`share ${site}`)) {
    write(`share ${site}`, given)
    write(`share access ${site}`, undefined)
  }
  const [secret, access] = [read(`share ${site}`), read(`share access ${site}`)]
  return { ...(secret !== undefined && { secret }), ...(access !== undefined && { access }) }
}

/** Keeps the access of a share, or forgets it. */
export const keepAccess = (site: string, access: string | undefined): void =>
  write(`share access ${site}`, access)
