import type { Dictionary } from '../languages/en.ts'

type Formats = Pick<Dictionary['imports'], 'files' | 'noteTexts' | 'whyNoUndo'>

/** What files of other products must be, and what is different afterwards. The service has the English texts. */
export const importFormats: Formats = {
  files: {
    umami:
      'Das ZIP, das Umami Cloud schickt (Settings → Data → Export), oder ein ZIP der Tabellen website_event, session, event_data und session_data Ihrer Datenbank als CSV mit den Namen der Spalten; website_event.csv allein genügt.',
    goatcounter: 'Der CSV-Export von GoatCounter (Version 2 oder 1), auch mit gzip gepackt.',
    matomo:
      'Antworten von Live.getLastVisitsDetails von Matomo im Format JSON: eine Seite, mehrere hintereinander, oder ein Besuch je Zeile.',
    'simple-analytics':
      'Der CSV-Export der Datenpunkte von Simple Analytics, mit den Spalten added_iso, hostname, path und session_id.',
    ga4: 'Die Tabellen events_YYYYMMDD des BigQuery-Exports von Google Analytics 4 als JSON-Zeilen.',
    plausible:
      'Die Tabelle events_v2 der ClickHouse-Datenbank der Plausible Community Edition als CSVWithNames oder JSONEachRow.',
    posthog:
      'Die Ereignisse von PostHog als JSON-Zeilen (ein Batch-Export oder die Antworten der API für Ereignisse).',
    'access-log':
      'Ein Zugriffsprotokoll von nginx oder Apache (common oder combined), von Caddy (JSON) oder von Cloudflare Logpush (http_requests), auch mit gzip gepackt.',
    'plausible-totals': 'Das ZIP von „Export to CSV“ in Plausible oder eine seiner CSV-Dateien.',
    fathom: 'Eine CSV-Datei, die Fathom nach Stunden oder Tagen exportiert, oder ein ZIP mit mehreren.',
    'ga4-totals':
      'Eine CSV-Datei mit einer Spalte date (der Data API oder eines Berichts mit der Dimension Datum), oder ein ZIP mit mehreren.',
    payments:
      'CSV oder JSON-Zeilen, wie docs/import-money.md sie beschreibt; auch mit gzip oder als ZIP gepackt.',
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
    goatcounter: [
      'Ein Besucher ist, was GoatCounter eine Sitzung nennt: ein Browser für bis zu 8 Stunden.',
      'GoatCounter behält weder Adressen noch, seit Version 2, User-Agents; Browser und System haben ihre Namen.',
      'Die Domain steht nicht in der Datei: Alle Seiten bekommen die der Website.',
      'Von einer Kampagne ist nur der Name bekannt. Er wird utm_source der Seite, weil GoatCounter die Tags aus der Adresse entfernt hat.',
      'Namen von Quellen, die GoatCounter aus Referrern gebildet hat, etwa Google oder Email, werden das Tag ref der Seite.',
      'Versionen von Browsern und Systemen sind so genau, wie GoatCounter sie behält. Sprachen und Eigenschaften stehen nicht in der Datei.',
    ],
    matomo: [
      'Ein Besuch, der in Matomo wegen Mitternacht oder einer neuen Kampagne begann, gehört zum vorigen: Eine Sitzung endet nach 30 Minuten ohne Aufruf.',
      'Ein Ereignis hat den Namen seiner Aktion; Kategorie, Name und Wert sind die Eigenschaften category, name und value.',
      'Suchen auf der Website werden das Ereignis search, Bestellungen das Ereignis ecommerce_order mit ihrem Betrag. Verlassene Warenkörbe, erreichte Ziele und Inhalte entfallen.',
      'Matomo entfernt Tags von Kampagnen aus Adressen: Der Name einer Kampagne wird utm_campaign, ihr Suchwort utm_term. utm_source und utm_medium gibt es nur mit dem Plugin Marketing Campaigns Reporting.',
      'Die Zeit auf einer Seite ist die bis zur nächsten Aktion und zählt als aktive Zeit; die Scrolltiefe ist unbekannt. Für die letzte Seite ist sie nur mit dem Heart Beat Timer bekannt.',
      'Regionen sind ab Matomo 4 ISO-Codes; die älterer Besuche können falsch sein.',
      'Besuche mit sehr vielen Aktionen schneidet Matomo ab (visitor_log_maximum_actions_per_visit).',
    ],
    'simple-analytics': [
      'Simple Analytics erkennt Besucher nicht wieder. Ein Besucher ist, was eine session_id hat: was ohne Verlassen der Seite oder in einer Single-Page-Anwendung geschah. Ohne session_id ist jeder Seitenaufruf ein eigener Besucher. So sind es mehr Besucher und Sitzungen als in Simple Analytics, das nach dem Referrer zählt.',
      'Titel stehen nicht in der Datei. Von der Query sind nur die Parameter da, die Simple Analytics behält.',
      'Die Zeit auf der Seite (duration_seconds) zählt als aktive Zeit.',
    ],
    ga4: [
      'Aufrufe ohne user_pseudo_id, von Besuchern ohne Einwilligung, entfallen: Nichts sagt, welche zusammengehören.',
      'first_visit, session_start und ähnliche Ereignisse, die Google ableitet, entfallen; Sitzungen folgen den Regeln dieses Dienstes.',
      'Aufrufe, die ein Browser zusammen gesendet hat, haben dieselbe Zeit.',
      'Regionen haben im Export nur Namen und werden nicht übernommen, Länder und Städte schon. Bildschirme stehen nicht im Export.',
      'Google weiß nur, dass 90 Prozent einer Seite gescrollt wurden. Aktive Zeit hat keine Scrolltiefe.',
      'Ereignisse von Apps entfallen. Was Google modelliert oder schätzt, steht nicht im Export.',
    ],
    plausible: [
      'Plausible vergisst Besucher jeden Tag: Jeder Tag hat eigene. Aus einem Besuch über Mitternacht (UTC) werden zwei.',
      'Zeiten haben ganze Sekunden. Titel, Bildschirme, Sprachen und Querys außer UTM-Tags stehen nicht in der Tabelle.',
      'Referrer und UTM-Tags sind die des Besuchs und stehen an allen seinen Aufrufen. Eine Quelle aus ref oder source ohne Referrer wird das Tag ref.',
      'Von einer Klick-ID (gclid, msclkid) ist nur bekannt, dass es sie gab: Die Seite bekommt das Tag mit dem Wert unknown.',
      'Städte haben nur Namen, wenn auch die Spalte city_name abgefragt wurde (siehe die Abfrage).',
      'Aktive Zeit gibt es ab der Version, die sie misst; davor haben pageleave-Ereignisse höchstens die Scrolltiefe.',
    ],
    posthog: [
      'Ein Besucher ist ein Gerät ($device_id), wo das Ereignis eines hat, sonst die distinct_id. Personen, die PostHog später verbunden hat, bleiben getrennt.',
      'Aufnahmen, Heatmaps, Feature-Flags, Umfragen, Gruppen, Rage-Clicks und andere Ereignisse von PostHog selbst entfallen, ebenso Eigenschaften, deren Name mit $ beginnt.',
      'Aus Autocapture werden Links zu anderen Hosts, Downloads, Knöpfe, gesendete Formulare und kopierter Text übernommen, andere Klicks und Änderungen von Feldern nicht.',
      'Aktive Zeit ist die Zeit von einem Seitenaufruf zum nächsten oder bis zum Verlassen der Seite, mit Pausen. Von einer Seite, die länger als 30 Minuten offen war, verbindet sie keine Sitzungen.',
      'Ausnahmen werden Fehler mit ihrem ersten Stacktrace, ohne Source-Maps.',
      'Bildschirme von Apps entfallen.',
    ],
    'access-log': [
      'Nur Dokumente zählen: GET-Anfragen mit der Antwort 200 oder 304, deren Adresse keine Dateiendung hat und keine bekannte Schnittstelle ist und deren Inhalt HTML ist, wo das Protokoll ihn nennt.',
      'Crawler, HTTP-Bibliotheken, Prefetches, Weiterleitungen und Fehler entfallen. Crawler, die sich als Browser ausgeben, werden nicht erkannt.',
      'Ein Besucher ist eine Adresse mit einem User-Agent an einem UTC-Tag, wie bei gemessenen Aufrufen ohne Cookies. Im Format common ohne User-Agents ist er die Adresse allein, und Crawler sind nicht zu unterscheiden.',
      'Protokolle haben keine Titel, Bildschirme, Ereignisse und Zeiten. Seiten aus Caches fehlen, ebenso Seitenwechsel von Single-Page-Anwendungen.',
    ],
    'plausible-totals': [
      'Städte entfallen: Der Export hat Nummern statt ihrer Namen.',
      'Kanäle folgen aus Quelle, Referrer und Tags; Klicks auf Anzeigen ohne Tags werden nicht erkannt.',
      'Links und Pfade eigener Ereignisse werden nach dem Namen des Ereignisses zusammengezählt.',
      'Tage sind die der Zeitzone, die Plausible für die Website hatte.',
    ],
    fathom: [
      'Fathom zählt einen Besucher der Website einmal am Tag: Seine Besuche sind Besucher und Sitzungen der Website.',
      'Absprünge und Dauern werden aus Raten und Mittelwerten zurückgerechnet, je Zeile gerundet.',
      'Seiten mehrerer Hosts mit demselben Pfad werden zusammengezählt.',
      'Eine Tabelle mit einer Dimension, die nicht bekannt ist, entfällt: Ihre Zeilen sind nicht die Summen eines Tages.',
      'Stunden kommen in die Tage der Zeitzone dieser Website; ohne Angabe gelten sie als UTC.',
    ],
    'ga4-totals': [
      'Eine Sitzung springt dort ab, wenn sie nicht „engaged“ war, auch mit mehreren Seitenaufrufen; deshalb haben importierte Tage andere Absprungraten.',
      'Absprünge und Dauern werden aus Raten und Mittelwerten zurückgerechnet, je Zeile gerundet.',
      'Regionen entfallen: Berichte haben ihre Namen statt ihrer Codes.',
      'Eine Tabelle mit einer Dimension, die nicht bekannt ist, etwa dem Seitentitel, entfällt: Ihre Zeilen sind nicht die Summen eines Tages.',
      'Die Ereignisse page_view, session_start, first_visit und user_engagement entfallen.',
      'Tage sind die der Zeitzone der Property.',
    ],
    payments: [
      'Eine Zahlung mit der ID einer schon gespeicherten ist diese Zahlung.',
      'Beträge in anderen Währungen als der der Website bleiben erhalten und zählen in keiner Summe.',
    ],
    hits: ['Zeilen werden übernommen, wie sie sind: Ihre Besucher können die von gemessenen Besuchen sein.'],
  },
  whyNoUndo: {
    payments:
      'Zahlungen einer Datei können auch die des Zahlungsdienstes sein: payments:purge löscht Zahlungen.',
    hits: 'Zeilen dieses Formats können Besucher gemessener Besuche nennen; was sie gebracht haben, ist davon nicht zu trennen.',
  },
}
