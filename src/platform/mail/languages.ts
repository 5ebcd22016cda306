/** Languages of mails: each text of a mail is in all of them. */
export const LANGUAGES = ['en', 'de'] as const
export type Language = (typeof LANGUAGES)[number]

export const isLanguage = (code: string): code is Language => LANGUAGES.some(each => each === code)
