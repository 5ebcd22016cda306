import { type ReactNode, useState } from 'react'
import NoteDialog from '../chart/note-dialog.tsx'
import { Confirm } from '../parts/confirm.tsx'
import { Editor } from '../parts/editor.tsx'
import { Button } from '../parts/form/button.tsx'
import { CheckGroup, TextField } from '../parts/form/field.tsx'
import { Dialog } from '../parts/overlay/dialog.tsx'
import { Menu, RowMenu } from '../parts/overlay/menu.tsx'
import { Popover } from '../parts/overlay/popover.tsx'
import { PartNav } from '../parts/part-nav.tsx'
import { SettingForm } from '../parts/setting-form.tsx'
import { SettingList, SettingRow, SettingRows } from '../parts/setting-row.tsx'
import { Step, Steps } from '../parts/steps.tsx'
import { Tabs } from '../parts/tabs.tsx'
import css from './kit.module.css'
import { answered, changeOf, NO_ROWS, OPTIONS, ROWS, type Row, WORDS, WRONG_NAME } from './kit-data.ts'
import { Recipe } from './recipe.tsx'

/** What opens over the page. Each has a button of its name. */
export function Overlays() {
  return (
    <Recipe kits={{ Dialog, Confirm, Editor, NoteDialog, Menu, RowMenu, Popover }} isLine>
      <Opener name="Dialog">
        {close => (
          <Dialog open title={WORDS.title} onClose={close}>
            <p>{WORDS.long}</p>
          </Dialog>
        )}
      </Opener>
      <Opener name="Confirm">
        {close => (
          <Confirm
            title={WORDS.title}
            change={changeOf<void>({ failure: WRONG_NAME })}
            typed={{ label: WORDS.hint, text: 'kit' }}
            onClose={close}
          >
            <p>{WORDS.text}</p>
          </Confirm>
        )}
      </Opener>
      <Opener name="Editor">
        {close => (
          <Editor
            title={WORDS.title}
            change={changeOf<string>({ failure: WRONG_NAME })}
            inputOf={({ name = '' }) => name}
            onClose={close}
          >
            <TextField name="name" label={WORDS.name} hint={WORDS.hint} />
          </Editor>
        )}
      </Opener>
      <Opener name="NoteDialog">{close => <NoteDialog day="2026-03-18" onClose={close} />}</Opener>
      <Menu
        trigger="Menu"
        label={WORDS.choose}
        button={{ 'data-opens': 'Menu' } as object}
        entries={[
          { kind: 'title', name: 'title', label: WORDS.title },
          { name: 'a', label: WORDS.open, shortcut: 'g o', isChosen: true },
          { name: 'b', label: WORDS.long },
          { kind: 'line', name: 'line' },
          { name: 'c', label: WORDS.name, isDanger: true },
        ]}
      />
      <RowMenu label={WORDS.choose} entries={[{ name: 'a', label: WORDS.open }]} />
      <Popover trigger="Popover" label={WORDS.choose} button={{ 'data-opens': 'Popover' } as object}>
        {close => <Button onClick={close}>{WORDS.open}</Button>}
      </Popover>
    </Recipe>
  )
}

function Opener({ name, children }: { name: string; children: (close: () => void) => ReactNode }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button data-opens={name} onClick={() => setOpen(true)}>
        {name}
      </Button>
      {isOpen && children(() => setOpen(false))}
    </>
  )
}

/** Rows and forms of settings, and what leads through parts of a page. */
export function Settings() {
  const [tab, setTab] = useState('day')
  const [chosen, setChosen] = useState<readonly string[]>(['day'])
  return (
    <>
      <Recipe kits={{ SettingList, SettingRow, SettingRows }}>
        <SettingList read={answered(ROWS)} empty={WORDS.text}>
          {row => <Setting key={row.id} row={row} />}
        </SettingList>
        <SettingRows>
          <SettingRow actions={<Button>{WORDS.open}</Button>}>{WORDS.text}</SettingRow>
        </SettingRows>
        <SettingList<Row> read={answered(NO_ROWS)} empty={WORDS.text}>
          {row => <Setting key={row.id} row={row} />}
        </SettingList>
      </Recipe>
      <Recipe kits={{ SettingForm, CheckGroup }}>
        <SettingForm label={WORDS.title} change={changeOf<string>()} onSend={({ name = '' }) => name}>
          <TextField name="name" label={WORDS.name} hint={WORDS.hint} />
          <CheckGroup label={WORDS.choose} options={OPTIONS} chosen={chosen} onChange={setChosen} isLong />
        </SettingForm>
        <SettingForm label={WORDS.name} change={changeOf<string>()} may={false} onSend={() => undefined}>
          <TextField name="name" label={WORDS.name} defaultValue={WORDS.text} />
        </SettingForm>
      </Recipe>
      <Recipe kits={{ PartNav, Tabs, Steps, Step }}>
        {/* On a phone its links reach into the margins of the page. */}
        <div className={css.margins}>
          <PartNav
            base="/kit"
            label={WORDS.title}
            current=""
            parts={OPTIONS.map(({ value, label }) => ({ path: value === 'day' ? '' : value, label }))}
          >
            <Tabs
              label={WORDS.title}
              tabs={OPTIONS.map(({ value, label }) => ({ name: value, label }))}
              value={tab}
              onChange={setTab}
            >
              {WORDS.text}
            </Tabs>
          </PartNav>
        </div>
        <Steps>
          <Step number={1} state="done" title={WORDS.title}>
            <p>{WORDS.text}</p>
          </Step>
          <Step number={2} state="now" title={WORDS.title}>
            <p>{WORDS.note}</p>
          </Step>
        </Steps>
      </Recipe>
    </>
  )
}

function Setting({ row: { name } }: { row: Row }) {
  return (
    <SettingRow
      edit={close => (
        <Editor title={WORDS.title} change={changeOf<string>()} inputOf={() => ''} onClose={close}>
          <TextField name="name" label={WORDS.name} defaultValue={name} />
        </Editor>
      )}
      remove={{ title: WORDS.title, question: WORDS.text, run: async () => true, changes: [] }}
    >
      <p>{name}</p>
    </SettingRow>
  )
}
