import type { Config } from '../config/config.ts'

/** Returns the host of the sender, for ids of mails and lists. */
export const senderHost = ({ mail, baseUrl }: Pick<Config, 'mail' | 'baseUrl'>): string =>
  /@([A-Za-z0-9.-]+)/.exec(mail?.from ?? '')?.[1] ?? new URL(baseUrl).hostname
