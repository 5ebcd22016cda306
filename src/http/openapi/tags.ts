/** Names and descriptions of the groups of procedures, in display order. */
export const tags: Record<string, { name: string; description: string }> = {
  ingestion: {
    name: 'Ingestion',
    description:
      'Hits, from any origin and without a token: the tracking key in the body says which site they belong to. 202 means that ' +
      'the hit is kept whatever dies, and will be counted exactly once.',
  },
  sites: { name: 'Sites', description: "A team's sites and their settings." },
  stats: {
    name: 'Statistics',
    description:
      "What was counted. Ranges are whole days of the site's time zone. Every dimension is a filter: a bare value means equals, " +
      'the same parameter again means or, `(none)` means empty, and different dimensions must all fit. Operators stand in ' +
      'brackets: `path[starts_with]=/blog`.',
  },
  goals: {
    name: 'Goals',
    description: 'What visitors are to do: see a page, scroll it, send an event, click something.',
  },
  funnels: {
    name: 'Funnels',
    description: 'Sequences of steps that visitors are to take, saved for a site.',
  },
  segments: { name: 'Segments', description: 'Named sets of filters, of the site or of one person.' },
  annotations: { name: 'Annotations', description: 'What happened on the site or around it, in words.' },
  shares: {
    name: 'Sharing',
    description:
      'What readers who are no users may see: parts of a public site for everybody, other parts for those who have a link.',
  },
  payments: { name: 'Payments', description: 'Money that came in, from server to server.' },
  processor: {
    name: 'Payment processor',
    description: 'The connection that brings payments and subscriptions by itself.',
  },
  people: {
    name: 'People',
    description: 'What is stored about one person: to hand it out, and to erase it.',
  },
  imports: {
    name: 'Imports',
    description:
      'Histories of other products: a file comes in parts, is checked, imported, and can be removed again.',
  },
  importedTotals: {
    name: 'Imported totals',
    description: 'What other products counted by day, for the time before the first hit of a site.',
  },
  reports: { name: 'Reports', description: 'Mails with the numbers of a day, a week or a month.' },
  alerts: { name: 'Alerts', description: 'Rules that tell when something unusual happens on a site.' },
  webhooks: {
    name: 'Webhooks',
    description: 'Addresses that are told of goals, payments and subscriptions as they happen.',
  },
  tokens: { name: 'Tokens', description: 'Bearer tokens of people and programs.' },
  team: { name: 'Team', description: 'The team in which a request acts.' },
  teams: { name: 'Teams', description: 'The teams of a signed-in person.' },
  users: { name: 'Users', description: 'Who belongs to the team, with which role.' },
  invitations: { name: 'Invitations', description: 'Links with which people join a team.' },
  audit: { name: 'Audit log', description: 'Who did what in the team.' },
  auth: { name: 'Signing in', description: 'Sessions of people with a browser; none of it needs a token.' },
  account: {
    name: 'Your login',
    description: 'What a signed-in person sees and changes of their own login.',
  },
  passkeys: {
    name: 'Passkeys',
    description: 'Signing in without a password, with what the device or a security key holds.',
  },
  identities: {
    name: 'Single sign-on',
    description: 'Signing in with the OpenID Connect provider that the operator has set up.',
  },
  options: { name: 'Options', description: 'What forms offer for the settings of a site.' },
  pictures: { name: 'Pictures', description: 'Icons and avatars, for anybody, on pages of any origin.' },
  service: { name: 'Service', description: 'Health, metrics and the tracker script.' },
}
