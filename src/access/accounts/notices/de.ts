import type { NoticeTexts } from './notice-texts.ts'

export const de: NoticeTexts = {
  locale: 'de-DE',
  subjects: {
    new_browser: 'Ein neuer Browser hat sich angemeldet',
    password: 'Ihr Passwort wurde geändert',
    reset: 'Ihr Passwort wurde mit einem Link ersetzt',
    recover: 'Ein Link des Betreibers wurde benutzt',
    factor: 'Ein zweiter Faktor wurde hinzugefügt',
    no_factor: 'Der zweite Faktor wurde entfernt',
    codes: 'Neue Wiederherstellungscodes wurden erstellt',
    passkey: 'Ein Passkey wurde hinzugefügt',
    no_passkey: 'Ein Passkey wurde entfernt',
    sign_on: 'Single Sign-on wurde verknüpft',
    no_sign_on: 'Die Verknüpfung mit Single Sign-on wurde entfernt',
    address_asked: 'Eine neue E-Mail-Adresse wartet auf ihre Bestätigung',
    address: 'Die E-Mail-Adresse wurde geändert',
    token: 'Ein Token wurde erstellt',
    token_of_token: 'Ein Token hat ein anderes erstellt',
    owner: 'Ein Team hat einen neuen Eigentümer',
  },
  sentences: {
    new_browser: () =>
      'Ihr Zugang wurde in einem Browser benutzt, in dem Sie sich noch nicht angemeldet hatten.',
    password: () => 'Ein neues Passwort wurde gesetzt. Alle anderen Geräte wurden abgemeldet.',
    reset: () => 'Das Passwort wurde mit einem Link ersetzt. Alle Geräte wurden abgemeldet.',
    recover: () =>
      'Ein Link des Betreibers hat in Ihren Zugang geführt. Der zweite Faktor wurde entfernt, und alle Geräte wurden abgemeldet.',
    factor: () =>
      'Eine Authenticator-App wurde hinzugefügt: Die Anmeldung mit dem Passwort braucht jetzt ihren Code.',
    no_factor: () => 'Der zweite Faktor wurde entfernt: Das Passwort allein reicht, um sich anzumelden.',
    codes: () => 'Neue Wiederherstellungscodes wurden erstellt. Die früheren gelten nicht mehr.',
    passkey: ({ name }) => `Der Passkey „${name}“ wurde hinzugefügt. Er meldet ohne Passwort an.`,
    no_passkey: ({ name }) => `Der Passkey „${name}“ wurde entfernt.`,
    sign_on: ({ provider }) =>
      `Ihr Zugang wurde mit einem Konto bei ${provider} verknüpft, das jetzt anmeldet.`,
    no_sign_on: ({ provider }) => `Die Verknüpfung mit einem Konto bei ${provider} wurde entfernt.`,
    address_asked: ({ address }) =>
      `${address} soll die neue Adresse Ihres Zugangs werden. Sie gilt, sobald sie mit dem Link bestätigt ist, den wir an sie geschickt haben; bis dahin bleibt Ihre.`,
    address: ({ before, address }) =>
      `Die Adresse zum Anmelden wurde von ${before} in ${address} geändert. Die alte gilt nicht mehr.`,
    token: ({ name, team }) => `Das Token „${name}“ wurde für Sie im Team „${team}“ erstellt.`,
    token_of_token: ({ name, team, maker }) =>
      `Ihr Token „${maker}“ hat im Team „${team}“ das Token „${name}“ erstellt. Erstellt es heute weitere, bekommen Sie keine weitere Mail.`,
    owner: ({ email, team, by }) => `${email} ist jetzt Eigentümer des Teams „${team}“. Das war ${by}.`,
  },
  login: (email, host) => `Zugang ${email} bei ${host}`,
  when: time => `Zeit: ${time} UTC`,
  device: (browser, system) => `Browser: ${system === '' ? browser : `${browser} auf ${system}`}`,
  unknownBrowser: 'unbekannt',
  network: network => `Netz: ${network}`,
  remedies: {
    secure: {
      advice:
        'Wenn Sie das waren, ist nichts zu tun. Wenn nicht: Ändern Sie Ihr Passwort, melden Sie sich überall ab und prüfen Sie Ihre Passkeys und Tokens.',
      label: 'Zugang ansehen',
    },
    get_in: {
      advice:
        'Wenn Sie das waren, ist nichts zu tun. Wenn nicht: Fordern Sie sofort ein neues Passwort an. Wenn Sie nicht hineinkommen, bitten Sie den Betreiber des Dienstes um einen Link.',
      label: 'Zurück in Ihren Zugang',
    },
    ask: {
      advice:
        'Wenn Sie das waren, ist nichts zu tun. Wenn nicht: Bitten Sie den Betreiber des Dienstes sofort um einen Link, mit dem Sie wieder hineinkommen.',
      label: 'Anmelden',
    },
    token: {
      advice:
        'Wenn Sie es nicht kennen: Widerrufen Sie es, ändern Sie Ihr Passwort und melden Sie sich überall ab.',
      label: 'Tokens des Teams',
    },
    owner: {
      advice: 'Eigentümer dürfen im Team alles. Wenn das nicht stimmt: Ändern Sie die Rolle.',
      label: 'Personen des Teams',
    },
  },
  confirmation: {
    subject: 'Bestätigen Sie Ihre E-Mail-Adresse',
    text: (email, host) => `Der Zugang ${email} bei ${host} soll von jetzt an diese Adresse haben.`,
    button: 'Adresse bestätigen',
    note: 'Der Link gilt einen Tag lang und nur einmal. Wenn Sie ihn nicht angefordert haben, beachten Sie diese Mail nicht: Es ändert sich nichts.',
  },
}
