import { rememberedInTab, rememberInTab } from '../../state/storage.ts'

/** What a tab knows of a share: its secret, from the link, and access that was given for its password. */
export interface Known {
  secret?: string
  access?: string
}

/** Secret of the address. It stands after `#`, so that no server and no log of a proxy ever gets it. */
export const secretInAddress = (): string | undefined => /^#(wsh_[\w-]+)$/.exec(location.hash)?.[1]

/** Returns what is known of the share of a site; a link with another secret is another share. */
export function knownOf(site: string): Known {
  const given = secretInAddress()
  if (given !== undefined && given !== rememberedInTab(`share ${site}`)) {
    rememberInTab(`share ${site}`, given)
    rememberInTab(`share access ${site}`, undefined)
  }
  const [secret, access] = [rememberedInTab(`share ${site}`), rememberedInTab(`share access ${site}`)]
  return { ...(secret !== undefined && { secret }), ...(access !== undefined && { access }) }
}

/** Keeps the access of a share, or forgets it. */
export const keepAccess = (site: string, access: string | undefined): void =>
  void rememberInTab(`share access ${site}`, access)
