import { ai } from './ai.ts'
import { email } from './email.ts'
import { audio, video } from './media.ts'
import { other } from './other.ts'
import { search } from './search.ts'
import { affiliate, shopping } from './shops.ts'
import { social } from './social.ts'
import type { KnownSource, Source, SourceCategory } from './source.ts'

/** Sources of these categories that Google's table does not have. It has none of the other categories. */
const ours = new Set(
  [
    'Google Scholar|Brave|Startpage|Kagi|Mojeek|Swisscows|MetaGer|Presearch|Shenma|Coc Coc|Goo|Threads|Product Hunt',
    'Indie Hackers|Bluesky|Mastodon|Lemmy|Substack|Lobsters|DEV Community|Discord|Slack|Microsoft Teams|Signal|Viber',
    'Threema|Element Messenger|Google Chat|Google Messages|Samsung Messages|Mattermost|Rocket.Chat|Zulip|Zoom|Webex',
    'Lark|DingTalk|GroupMe|Kik|imo|QQ|Xiaohongshu|Zhihu|Habr|Nextdoor|Steam Community|Linktree|Buffer|Prime Video',
    'Rumble|Odysee|Kick|Bilibili|Rutube|VK Video|Loom|Temu|Idealo|PriceRunner|Naver Shopping',
  ].flatMap(line => line.split('|')),
)
const tabled = new Set<string>(['search', 'social', 'video', 'shopping'])

/**
 * Known sources. Categories follow Google's table of source categories for default channel groups, even where they look odd.
 * A source that is not in the table gets the category of similar sources: chat apps, communities and link pages are social.
 */
export const knownSources: readonly KnownSource[] = Object.entries({
  search,
  social,
  video,
  shopping,
  ai,
  email,
  audio,
  affiliate,
  other,
} satisfies Record<SourceCategory, Source[]>).flatMap(([category, sources]) =>
  sources.map(source => ({
    ...source,
    category: category as SourceCategory,
    isOurs: !tabled.has(category) || ours.has(source.name),
  })),
)
