import type { Dictionary } from '../languages/en.ts'
import { counted } from '../plural.ts'

export const imports: Dictionary['imports'] = {
  title: 'Bringen Sie Ihre Daten mit',
  hint: 'Besuche aus einem anderen Produkt werden Teil dieser Website, mit allen Zahlen. Zuerst sagt ein Probelauf, was käme.',
  format: 'Woher die Datei ist',
  file: 'Datei',
  drop: 'Legen Sie die Datei hier ab, oder wählen Sie sie aus',
  website: 'Website in der Datei',
  websiteHint: 'Nur wenn die Datei mehrere Websites enthält.',
  timezone: 'Zeitzone der Datei',
  timezoneHint: 'Von Zeiten, die keine nennen.',
  check: 'Hochladen und prüfen',
  uploading: percent => `Wird hochgeladen, ${percent} %`,
  stopUpload: 'Anhalten',
  notes: 'Was danach anders ist',
  noUndo: 'Kann nicht rückgängig gemacht werden',
  files: {
    umami:
      'Das ZIP, das Umami Cloud schickt (Settings → Data → Export), oder ein ZIP der Tabellen website_event, session, event_data und session_data Ihrer Datenbank als CSV mit den Namen der Spalten; website_event.csv allein genügt.',
    hits: 'Ein JSON-Objekt je Zeile, nach der Zeit geordnet, wie der Export dieses Dienstes; auch mit gzip oder als ZIP gepackt.',
  },
  noteTexts: {
    umami: [
      'Umami bildet Besucher jeden Monat neu: Wer in zwei Monaten kam, zählt zweimal, wie in Umami.',
      'Sitzungen folgen den Regeln dieses Dienstes; ihre Zahl kann von den Besuchen in Umami abweichen.',
      'Umami misst nicht, wie lange Seiten gelesen wurden.',
      'Tags von Ereignissen sowie Klicks auf Links und Pixel werden nicht übernommen.',
      'Daten von Sitzungen werden Daten von Nutzern; ohne Nutzerkennung entfallen sie.',
      'Namen von Eigenschaften werden nach 64 Zeichen gekürzt; ein Ereignis behält 50 Eigenschaften.',
    ],
    hits: ['Zeilen werden übernommen, wie sie sind: Ihre Besucher können die von gemessenen Besuchen sein.'],
  },
  whyNoUndo: {
    hits: 'Zeilen dieses Formats können Besucher gemessener Besuche nennen; was sie gebracht haben, ist davon nicht zu trennen.',
  },

  history: 'Importe',
  none: 'Noch wurde nichts importiert',
  states: {
    uploading: 'Nicht vollständig',
    checking: 'Wird geprüft',
    checked: 'Geprüft: noch ist nichts gespeichert',
    importing: 'Wird importiert',
    done: 'Importiert',
    failed: 'Fehlgeschlagen',
    canceled: 'Abgebrochen',
    expired: 'Abgelaufen',
    undoing: 'Wird entfernt',
    undone: 'Rückgängig gemacht',
  },
  commandLine: 'Befehlszeile',
  start: 'Jetzt importieren',
  again: 'Erneut versuchen',
  cancel: 'Abbrechen',
  undo: 'Rückgängig machen',
  undoTitle: title => `Import aus ${title} rückgängig machen?`,
  undoQuestion: title =>
    `Alles, was Dateien aus ${title} dieser Website gebracht haben, wird entfernt, auch durch andere Importe: Sie sind eine Geschichte. Alle Zahlen sind danach wie zuvor.`,

  period: 'Zeitraum',
  pageviews: 'Seitenaufrufe',
  events: 'Ereignisse',
  others: 'Andere Einträge',
  visitors: 'Besucher',
  repeated: 'Schon vorhanden',
  left: 'Ausgelassen',
  dropped: 'Verworfen, wie gemessene auch',
  rejected: 'Ungültig',
  rows: shown => counted(shown, 'Zeile', 'Zeilen'),
}
