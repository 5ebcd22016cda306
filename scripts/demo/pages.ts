import { type Random, type Weighted, weighted } from '../random.ts'

// The website of a made-up product: Fieldnote, a notebook for research teams.

export type Section =
  | 'home'
  | 'features'
  | 'pricing'
  | 'docs'
  | 'blog'
  | 'customers'
  | 'compare'
  | 'changelog'
  | 'company'
  | 'app'

export interface Page {
  section: Section
  path: string
  title: string
}

const SITE = 'Fieldnote'

/** Pages by section, the most read first. */
const PAGES: Record<Section, Weighted<Page>[]> = {
  home: pagesOf('home', 1, { '/': 'Fieldnote: the notebook for research teams' }),
  features: pagesOf('features', 0.7, {
    '/features': 'Features',
    '/features/transcripts': 'Transcripts that find themselves',
    '/features/tagging': 'Tag once, find everywhere',
    '/features/reports': 'Reports your team will read',
    '/integrations': 'Integrations',
    '/templates': 'Templates for interviews and surveys',
  }),
  pricing: pagesOf('pricing', 0.12, { '/pricing': 'Pricing', '/signup': 'Sign up' }),
  docs: pagesOf('docs', 0.82, {
    '/docs': 'Documentation',
    '/docs/getting-started': 'Getting started',
    '/docs/import/interviews': 'Import interviews',
    '/docs/api/authentication': 'API: authentication',
    '/docs/api/notes': 'API: notes',
    '/docs/export': 'Export to CSV and Markdown',
    '/docs/teams/invite': 'Invite your team',
    '/docs/tags': 'Tags and themes',
    '/docs/webhooks': 'Webhooks',
    '/docs/single-sign-on': 'Single sign-on',
    '/docs/self-hosting': 'Self-hosting',
    '/docs/troubleshooting': 'Troubleshooting',
  }),
  blog: pagesOf('blog', 0.75, {
    '/blog/fieldnote-2-4': 'Fieldnote 2.4: reports that write themselves',
    '/blog/how-many-interviews': 'How many interviews are enough?',
    '/blog/research-repository': 'Your research repository is a graveyard',
    '/blog': 'Blog',
    '/blog/churn-interviews': 'What 112 churn interviews taught us',
    '/blog/interview-questions': '24 interview questions that get honest answers',
    '/blog/survey-or-interview': 'Survey or interview?',
    '/blog/small-research-teams': 'Research in a team of two',
    '/blog/cost-of-bad-notes': 'The cost of bad notes',
    '/blog/remote-usability-tests': 'Remote usability tests, step by step',
  }),
  customers: pagesOf('customers', 0.65, {
    '/customers': 'Customers',
    '/customers/harbor-health': 'Harbor Health reads 400 interviews a month',
    '/customers/northbank': 'How Northbank decides with evidence',
    '/customers/openlab': 'Openlab: one notebook for nine teams',
  }),
  compare: pagesOf('compare', 0.7, {
    '/compare/spreadsheets': 'Fieldnote or spreadsheets?',
    '/compare/wikis': 'Fieldnote or a wiki?',
    '/compare/shared-documents': 'Fieldnote or shared documents?',
  }),
  changelog: pagesOf('changelog', 1, { '/changelog': 'Changelog' }),
  company: pagesOf('company', 0.7, {
    '/about': 'About us',
    '/contact': 'Contact',
    '/security': 'Security',
    '/careers': 'Careers',
    '/privacy': 'Privacy',
  }),
  app: pagesOf('app', 0.75, {
    '/app/projects': 'Projects',
    '/app/notes': 'Notes',
    '/app/reports': 'Reports',
    '/app/tags': 'Tags',
    '/app/settings/team': 'Team',
    '/app/settings/billing': 'Billing',
  }),
}

export const [PRICING, SIGNUP] = PAGES.pricing.map(([page]) => page) as [Page, Page]
export const WELCOME: Page = { section: 'app', path: '/app/welcome', title: `Welcome – ${SITE}` }

/** @param next weight of a page compared with the one before it */
function pagesOf(section: Section, next: number, titles: Record<string, string>): Weighted<Page>[] {
  return Object.entries(titles).map(([path, title], index) => {
    const page = { section, path, title: path === '/' ? title : `${title} – ${SITE}` }
    return [page, next ** index]
  })
}

/** Sections that visitors open from each section; those who are in the application stay there. */
const NEXT: Record<Section, readonly Weighted<Section>[]> = {
  home: weighted({ features: 30, pricing: 27, customers: 10, docs: 12, blog: 7, company: 6 }),
  features: weighted({ features: 38, pricing: 26, docs: 12, customers: 9, home: 8 }),
  pricing: weighted({
    pricing: 12,
    compare: 17,
    features: 24,
    customers: 14,
    docs: 14,
    company: 10,
    home: 12,
  }),
  docs: weighted({ docs: 74, pricing: 8, home: 6, changelog: 5, features: 5 }),
  blog: weighted({ blog: 42, home: 20, features: 13, pricing: 9, customers: 7 }),
  customers: weighted({ customers: 38, pricing: 25, features: 18, home: 12 }),
  compare: weighted({ pricing: 38, features: 22, compare: 18, customers: 10 }),
  changelog: weighted({ docs: 34, blog: 26, features: 18, home: 14 }),
  company: weighted({ company: 34, home: 26, customers: 14, pricing: 12 }),
  app: weighted({ app: 1 }),
}

export const pageIn = (random: Random, section: Section): Page => random.weigh(PAGES[section])

/** Returns the page that a visitor opens after another one. */
export function pageAfter(random: Random, { section, path }: Page): Page {
  for (;;) {
    const page = pageIn(random, random.weigh(NEXT[section]))
    if (page.path !== path) return page
  }
}
