/** Category of a source; decides the channel. `other` sources have a known name only and count as a referral. */
export type SourceCategory =
  | 'search'
  | 'social'
  | 'video'
  | 'shopping'
  | 'ai'
  | 'email'
  | 'audio'
  | 'affiliate'
  | 'other'

export interface KnownSource {
  /** Name in reports; if empty, reports show the host. */
  name: string
  category: SourceCategory
  /**
   * Host names without `www.` and Android package names. `*.example.com` means example.com and all of its subdomains;
   * `example.*` means example under `.com`, `.cat` or any country's suffix.
   */
  hosts?: string[]
  /** Other spellings seen in `utm_source`: lower case, with spaces for `-` and `_`. */
  aliases?: string[]
  /** Spellings for its advertisements other than one of its own spellings followed by `ads` or `ad`. */
  adAliases?: string[]
  /** Google's table does not have it: a clear medium, such as email, outranks the category. */
  isOurs: boolean
}

/** A source as the lists have it: the list says its category. */
export type Source = Omit<KnownSource, 'category' | 'isOurs'>
