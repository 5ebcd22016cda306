import { type Random, type Weighted, weighted } from '../random.ts'
import type { Section } from './pages.ts'

/** Where a session comes from, and how its visitors behave. */
export interface Origin {
  referrer?: string
  /** Query of the URL that the session opens. */
  tags?: string
  lands: readonly Weighted<Section>[]
  /** Share of pages after which the visitor opens another one. */
  stays: number
  /** Share of new visitors who sign up. */
  signsUp: number
  /** Share of those who sign up who subscribe. */
  pays: number
  /** Share of subscribers who take a large plan. */
  isLarge: number
}

type Behaviour = Pick<Origin, 'lands' | 'stays' | 'signsUp' | 'pays' | 'isLarge'>

const behaviour = (
  lands: Partial<Record<Section, number>>,
  [stays, signsUp, pays, isLarge]: [stays: number, signsUp: number, pays: number, isLarge: number],
): Behaviour => ({ lands: weighted(lands), stays, signsUp, pays, isLarge })

// Social networks bring the most visitors; assistants and search bring those who pay.
const ASSISTANT = behaviour(
  { compare: 26, docs: 24, home: 20, features: 16, pricing: 14 },
  [0.72, 0.115, 0.48, 0.48],
)
const SEARCH = behaviour({ blog: 34, docs: 26, home: 22, compare: 9, features: 9 }, [0.62, 0.032, 0.32, 0.16])
const DIRECT = behaviour({ home: 68, pricing: 12, docs: 12, changelog: 8 }, [0.6, 0.013, 0.24, 0.12])
const SOCIAL = behaviour({ blog: 62, home: 28, changelog: 10 }, [0.36, 0.006, 0.2, 0.06])
const REFERRAL = behaviour({ home: 44, features: 28, customers: 28 }, [0.6, 0.026, 0.3, 0.14])
const EMAIL = behaviour({ blog: 46, changelog: 34, features: 20 }, [0.64, 0.024, 0.34, 0.12])
const AD = behaviour({ home: 30, features: 36, compare: 14, pricing: 20 }, [0.48, 0.02, 0.24, 0.1])
const BANNER = behaviour({ home: 60, features: 40 }, [0.26, 0.004, 0.2, 0.05])

const from = (referrer: string, like: Behaviour): Origin => ({ ...like, referrer: `https://${referrer}` })
const tagged = (tags: string, like: Behaviour, referrer?: string): Origin => ({
  ...like,
  tags: tags.replace(/\b(?=source|medium|campaign|content|term)/g, 'utm_'),
  ...(referrer && { referrer: `https://${referrer}` }),
})

const RETURNING: Origin = { ...DIRECT, stays: 0.62 }
const LAUNCH = from('news.ycombinator.com/', SOCIAL)

const ORIGINS: readonly Weighted<Origin>[] = [
  [DIRECT, 20],
  [from('www.linkedin.com/', SOCIAL), 8],
  [from('t.co/f1eLdN0te', SOCIAL), 7],
  [from('www.reddit.com/r/UXResearch/', SOCIAL), 4],
  [from('www.reddit.com/r/SaaS/', SOCIAL), 3],
  [LAUNCH, 2],
  [from('bsky.app/', SOCIAL), 1.2],
  [from('mastodon.social/', SOCIAL), 0.8],
  [from('www.google.com/', SEARCH), 14.5],
  [from('www.google.de/', SEARCH), 1.5],
  [from('www.bing.com/', SEARCH), 1.8],
  [from('duckduckgo.com/', SEARCH), 1.4],
  [from('www.ecosia.org/', SEARCH), 0.5],
  [from('search.brave.com/', SEARCH), 0.4],
  [from('chatgpt.com/', ASSISTANT), 4.2],
  [from('www.perplexity.ai/', ASSISTANT), 1.5],
  [from('claude.ai/', ASSISTANT), 1],
  [from('gemini.google.com/', ASSISTANT), 0.7],
  [from('github.com/fieldnote/importers', REFERRAL), 2.6],
  [from('zapier.com/apps/fieldnote', REFERRAL), 1.6],
  [from('www.g2.com/products/fieldnote', REFERRAL), 1.5],
  [from('uxtools.example/lists/repositories', REFERRAL), 1.3],
  [from('partner.example/blog/research-stack', REFERRAL), 0.9],
  [tagged('source=newsletter&medium=email&campaign=monthly-digest', EMAIL), 3.4],
  [tagged('source=newsletter&medium=email&campaign=fieldnote-2-4', EMAIL), 1.4],
  [tagged('source=google&medium=cpc&campaign=brand&term=fieldnote', AD, 'www.google.com/'), 2.2],
  [
    tagged(
      'source=google&medium=cpc&campaign=repository&term=research+repository&content=a',
      AD,
      'www.google.com/',
    ),
    2.4,
  ],
  [
    tagged(
      'source=google&medium=cpc&campaign=repository&term=interview+notes&content=b',
      AD,
      'www.google.com/',
    ),
    1.6,
  ],
  [tagged('source=bing&medium=cpc&campaign=brand&term=fieldnote', AD, 'www.bing.com/'), 0.6],
  [
    tagged(
      'source=linkedin&medium=paid-social&campaign=research-leads&content=carousel',
      AD,
      'www.linkedin.com/',
    ),
    2.2,
  ],
  [tagged('source=facebook&medium=paid-social&campaign=retargeting&content=video', BANNER), 1.4],
  [tagged('source=adroll&medium=display&campaign=retargeting', BANNER), 1.2],
  [tagged('source=uxpodcast&medium=affiliate&campaign=season-3', REFERRAL), 0.7],
  [from('www.youtube.com/', SOCIAL), 1.1],
]

/** On the day of a launch, most new visitors come from Hacker News and Product Hunt. */
const OF_LAUNCH: readonly Weighted<Origin>[] = [
  [LAUNCH, 58],
  [from('www.producthunt.com/posts/fieldnote', SOCIAL), 17],
  [from('t.co/f1eLdN0te', SOCIAL), 9],
  [from('lobste.rs/', SOCIAL), 4],
  [DIRECT, 12],
]

/** @param launch share of visitors who come because of the launch */
export const originOf = (random: Random, launch: number): Origin =>
  random.weigh(launch > 0 && random.chance(launch) ? OF_LAUNCH : ORIGINS)

/** Returns the origin of a later session: often that of the first one again. */
export const originAgain = (random: Random, first: Origin): Origin =>
  random.chance(0.83) ? first : random.chance(0.8) ? RETURNING : originOf(random, 0)
