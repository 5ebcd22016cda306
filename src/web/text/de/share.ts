import type { Dictionary } from '../languages/en.ts'

export const share: Dictionary['share'] = {
  title: 'Freigegebene Website',
  password: 'Passwort',
  passwordHint: 'Das Passwort kennen diejenigen, die Ihnen den Link gesendet haben.',
  open: 'Öffnen',
  wrongPassword: 'Dieses Passwort stimmt nicht.',
  tooMany: 'Zu viele falsche Passwörter. Versuchen Sie es in 15 Minuten noch einmal.',
  narrowed: 'Alle Zahlen sind von Besuchen mit',
  over: 'Dieser Link funktioniert nicht mehr',
  overHint:
    'Er ist abgelaufen oder wurde widerrufen, oder die Website ist nicht öffentlich. Bitten Sie diejenigen um einen neuen, die ihn gesendet haben.',
}
