/** Every reporting currency a site can have, as ISO 4217 codes. */
export const currencyCodes = `
  USD EUR GBP BRL JPY CAD AUD CHF CNY INR MXN ZAR SEK NOK DKK PLN CZK HUF RUB TRY KRW SGD HKD NZD THB IDR MYR PHP VND AED
`
  .trim()
  .split(' ')

/** Returns whether a site can report in the currency. Codes are upper case. */
export const isReportingCurrency = (code: string): boolean => currencyCodes.includes(code)

const names = new Intl.DisplayNames('en', { type: 'currency' })

/** Returns the currencies to choose from, labelled `USD – US Dollar`, in the order of the codes. */
export function currencyOptions(): { value: string; label: string }[] {
  const nameOf = (code: string) => (code === 'AED' ? 'UAE Dirham' : names.of(code))
  return currencyCodes.map(value => ({ value, label: `${value} – ${nameOf(value)}` }))
}
