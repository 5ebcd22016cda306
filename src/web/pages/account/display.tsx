import { useState } from 'react'
import { api, type Inputs } from '../../api/client.ts'
import { useChange } from '../../api/use-change.ts'
import { languageName } from '../../format/names.ts'
import { Card } from '../../parts/card.tsx'
import { Choice } from '../../parts/form/choices.tsx'
import { chooseTheme, chosenTheme, type Theme } from '../../state/theme.ts'
import { CODES, chooseLanguage, useLanguage, useText } from '../../text/text.tsx'
import css from './account.module.css'

type Language = NonNullable<Inputs['account']['change']['language']>

const THEMES: readonly Theme[] = ['light', 'dark', 'system']

/** How this browser shows the interface. */
export function Display() {
  const { account, common } = useText()
  const { code } = useLanguage()
  const [theme, setTheme] = useState(chosenTheme)
  const tell = useChange((language: Language) => api.account.change.mutate({ language }))
  const speak = async (next: string) => {
    // Also when it fails: the interface has the language, mails keep theirs.
    await tell.send(next as Language)
    chooseLanguage(next)
  }
  const change = (next: Theme) => {
    chooseTheme(next)
    setTheme(next)
  }
  return (
    <Card title={account.parts.display} note={account.displayNote}>
      <div className={css.stack}>
        <Choice
          label={common.language}
          value={code}
          onChange={speak}
          options={CODES.map(each => ({ value: each, label: languageName(each, each), lang: each }))}
        />
        <Choice
          label={common.theme.label}
          value={theme}
          onChange={change}
          options={THEMES.map(each => ({ value: each, label: common.theme[each] }))}
        />
      </div>
    </Card>
  )
}
