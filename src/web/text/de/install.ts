import type { Dictionary } from '../languages/en.ts'

export const install: Dictionary['install'] = {
  title: domain => `Bringen Sie ${domain} auf die Karte`,
  lead: 'Zwei Minuten. Sie können diese Seite jederzeit verlassen; sie wartet auf Sie.',
  created: 'Website angelegt',
  addLine: 'Eine Zeile in Ihre Seiten',
  addLineHint: 'In den <head>. 4,8 kB, kein Cookie, und nichts verlässt Ihren Server.',
  ways: 'Arten von Websites',
  wayNames: {
    html: 'HTML',
    react: 'React',
    next: 'Next.js',
    vue: 'Vue',
    wordpress: 'WordPress',
    tagManager: 'Tag Manager',
    server: 'Server',
  },
  where: {
    html: 'In den <head> jeder Seite.',
    react: 'In index.html. Seitenwechsel innerhalb der Anwendung werden von selbst gezählt.',
    next: 'In app/layout.tsx. Seitenwechsel innerhalb der Anwendung werden von selbst gezählt.',
    vue: 'In index.html. Bei Nuxt kommen dieselben Attribute in app.head.script von nuxt.config.',
    wordpress:
      'An das Ende von functions.php Ihres Themes, oder mit einem Plug-in für Code im Kopf der Seite.',
    tagManager: 'Ein neues Tag „Benutzerdefiniertes HTML“, ausgelöst durch „Initialisierung – Alle Seiten“.',
    server:
      'Für Anwendungen, die Hits selbst senden. Senden Sie den User-Agent des Besuchers mit, und entweder seine Adresse (X-Forwarded-For, mit TRUST_PROXY) oder eine eigene visitor_id.',
  },
  waiting: domain =>
    `Warten auf den ersten Besuch von ${domain} … öffnen Sie Ihre Website in einem anderen Tab.`,
  waitingForNext: 'Diese Website hat schon Besuche. Warten auf den nächsten …',
  arrived: 'Es funktioniert: Der erste Besuch ist da',
  works: 'Es funktioniert: der neueste Besuch',
  toOverview: 'Zur Übersicht',
  check: 'Nach einer Minute noch nichts? Die Seite prüfen lassen',
  checking: 'Die Seite wird geprüft …',
  checks: {
    found:
      'Die Seite hat das Script mit dem Schlüssel dieser Website. Öffnen Sie sie in einem Browser ohne Werbeblocker.',
    other_key:
      'Die Seite hat das Script, aber mit dem Schlüssel einer anderen Website. Kopieren Sie die Zeile oben noch einmal.',
    missing: 'Die Seite hat das Script nicht. Ist sie veröffentlicht, und steht ein Cache davor?',
    unreachable: 'Die Seite konnte von hier aus nicht geladen werden.',
  },
  reasons: {
    outside_tag: 'Ein anderes Script scheint das Tag einzufügen.',
    no_key: 'Das Tag hat kein data-key.',
    tag_manager:
      'Sie lädt den Google Tag Manager, der das Tag einfügen kann; Scripts werden bei dieser Prüfung nicht ausgeführt.',
    page_cut: 'Die Seite ist lang: Nur ihr erstes MiB wurde angesehen.',
    unknown_host: 'Kein Nameserver kennt die Domain.',
    not_public:
      'Ihre Adresse ist nicht öffentlich, und Seiten werden nur aus dem öffentlichen Internet geladen.',
    bad_port: 'Von diesem Port werden keine Seiten geladen.',
    timed_out: 'Sie hat nicht rechtzeitig geantwortet.',
    bad_certificate: 'Ihr Zertifikat ist nicht gültig.',
    connection_failed: 'Es kam keine Verbindung zustande.',
    bad_status: 'Sie hat mit einem Fehler geantwortet.',
    not_html: 'Die Antwort war keine Seite.',
    bad_redirect: 'Sie leitet zu einer Adresse weiter, die keine ist.',
    too_many_redirects: 'Sie leitet von einer Adresse zur nächsten weiter.',
  },
  checked: url => `Geprüft: ${url}`,
  local: 'Auf localhost ausprobieren?',
  localHint: 'Seiten auf dem eigenen Rechner zählen nur mit data-local:',
  blocked: 'Werbeblocker: das Script von der eigenen Domain laden',
  blockedHint:
    'Starten Sie diesen Dienst mit TRACKER_PATH=/t, lassen Sie den Webserver Ihrer Website den Pfad weiterleiten, und verwenden Sie ihn in der Zeile:',
  blockedProxy: 'Zählen Sie den Webserver in TRUST_PROXY mit: Sonst haben alle Besucher seine Adresse.',
  history: 'Frühere Daten übernehmen',
  historyHint: 'Hits eines anderen Werkzeugs oder aus Logdateien: mit ihren eigenen Zeiten, und nie doppelt.',
  historyHow: 'So wird eine Datei importiert',
  historyFile:
    'Schreiben Sie einen Hit je Zeile als JSON (docs/import.md beschreibt die Datei), und führen Sie dies dort aus, wo der Dienst installiert ist:',
  stripe: 'Stripe verbinden',
  stripeHint: 'Sehen Sie, welcher Kanal wiederkehrenden Umsatz bringt.',
  connect: 'Jetzt verbinden',
}
