import type { Dictionary } from '../languages/en.ts'

export const replay: Dictionary['replay'] = {
  title: 'Aufzeichnung',
  watch: 'Aufzeichnung ansehen',
  recorded: 'Aufgezeichnet',
  none: 'Keine aufgezeichneten Besuche in diesem Zeitraum',
  play: 'Abspielen',
  pause: 'Anhalten',
  speed: 'Geschwindigkeit',
  skip: 'Untätigkeit überspringen',
  skipping: 'Untätigkeit wird übersprungen',
  moment: 'Zeitpunkt der Aufzeichnung',
  momentOf: (at, length) => `${at} von ${length}`,
  marks: 'Seiten und Fehler der Aufzeichnung',
  pageAt: (path, at) => `Seite ${path}, bei ${at}`,
  errorAt: (name, at) => `${name}, bei ${at}: die Sekunde davor zeigen`,
  before: 'Die Sekunde davor zeigen',
  loading: 'Die Aufzeichnung wird geladen …',
  nothing: 'Von dieser Aufzeichnung kann nichts gezeigt werden: Ihr erster Teil ging verloren.',
  cut: 'Diese Aufzeichnung ist sehr groß. Nur ihr Anfang wird gezeigt.',
  damaged: 'Ein Teil dieser Aufzeichnung ist beschädigt und kann nicht gezeigt werden.',
  hint: 'Bilder, Videos und eingebettete Seiten werden nicht aufgezeichnet: Graue Flächen stehen für sie. Was Besucher tippen, ist unkenntlich.',
}
