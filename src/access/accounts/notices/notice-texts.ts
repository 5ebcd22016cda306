import type { Language } from '../../../platform/mail/languages.ts'
import { de } from './de.ts'
import { en } from './en.ts'

/** A change of a login or a team that people are mailed about, with what its sentence needs. */
export type Notice =
  | { kind: 'new_browser' | 'password' | 'reset' | 'recover' | 'factor' | 'no_factor' | 'codes' }
  | { kind: 'passkey' | 'no_passkey'; name: string }
  | { kind: 'sign_on' | 'no_sign_on'; provider: string }
  | { kind: 'address_asked'; address: string }
  | { kind: 'address'; before: string; address: string }
  | { kind: 'token'; name: string; team: string }
  | { kind: 'token_of_token'; name: string; team: string; maker: string }
  | { kind: 'owner'; email: string; team: string; by: string }
export type NoticeKind = Notice['kind']

/** What a person does about a change that they did not make; each with a page. */
export type Remedy = 'secure' | 'get_in' | 'ask' | 'token' | 'owner'

/** Texts of mails about logins in one language. */
export interface NoticeTexts {
  locale: string
  subjects: Record<NoticeKind, string>
  sentences: { [Kind in NoticeKind]: (notice: Extract<Notice, { kind: Kind }>) => string }
  /** The login that the mail is about. */
  login(email: string, host: string): string
  when(time: string): string
  device(browser: string, system: string): string
  unknownBrowser: string
  network(network: string): string
  remedies: Record<Remedy, { advice: string; label: string }>
  confirmation: {
    subject: string
    text(email: string, host: string): string
    button: string
    note: string
  }
}

const TEXTS: Record<Language, NoticeTexts> = { en, de }

export const noticeTexts = (language: Language): NoticeTexts => TEXTS[language]
