import type { Dictionary } from '../languages/en.ts'

export const events: Dictionary['events'] = {
  types: {
    pageview: 'Seitenaufruf',
    event: 'Ereignis',
    outbound: 'Externer Link',
    download: 'Download',
    button: 'Schaltfläche',
    form: 'Formular',
    copy: 'Kopierter Text',
    error: 'Fehler',
  },
  choose: 'Arten von Ereignissen',
  overTime: 'Ereignisse im Lauf der Zeit',
  count: 'Ereignisse',
  none: 'Keine Ereignisse der gewählten Arten in diesem Zeitraum',
  noneChosen: 'Wählen Sie eine Art, um ihre Ereignisse zu sehen.',
  byName: 'Nach Name',
  name: 'Ereignis',
  propertiesOf: name => `Eigenschaften von ${name}`,
  properties: 'Eigenschaften',
  noProperties: 'Dieses Ereignis hat in diesem Zeitraum keine Eigenschaften.',
  log: 'Ereignisliste',
  page: 'Seite',
  when: 'Zeit',
}
