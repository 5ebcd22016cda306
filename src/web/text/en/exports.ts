/** Taking the data of a site out. */
export const exports = {
  hits: 'Hits',
  hitsHint: 'Every pageview, event and engagement with its visit, as it is stored.',
  from: 'From',
  to: 'To',
  daysHint: 'Without days: everything.',
  format: 'Format',
  formats: {
    jsonl: 'JSON lines, which an import brings back',
    csv: 'CSV, for spreadsheets',
    parquet: 'Parquet, for DuckDB and others',
  },
  personal:
    'The file holds personal data: ids of visitors and users, places, properties. The audit log notes each export.',
  download: 'Download',
  rest: 'Everything else',
  restHint: 'One JSON object a line, with all that is stored.',
  kinds: {
    settings: 'Settings',
    goals: 'Goals',
    funnels: 'Funnels',
    segments: 'Segments',
    annotations: 'Notes',
    payments: 'Payments',
    movements: 'Changes of MRR',
    subscriptions: 'Subscriptions',
    'service-events': 'Events of payments and subscriptions',
    identities: 'Users',
  },
  large: 'On the server',
  largeHint: 'For millions of hits: the command writes the file there.',
}
