import { Link } from 'wouter'
import { useSite } from '../../state/site.tsx'
import { useText } from '../../text/text.tsx'
import css from './no-money.module.css'

/** What the page needs, for a site without any payment. */
export function NoMoney() {
  const { empty: text, processor } = useText().money
  const { isMember, mayManage } = useSite()
  return (
    <section className={css.box}>
      <h2>{text.title}</h2>
      <p>{text.text}</p>
      <ol className={css.ways}>
        <li>
          <p>{text.stripe}</p>
          {mayManage && (
            <Link href="/connect-stripe" className={css.main}>
              {processor.connect}
            </Link>
          )}
        </li>
        <li>
          <p>{text.api}</p>
          <a href={new URL('docs', document.baseURI).href} target="_blank" rel="noopener">
            {text.docs}
          </a>
        </li>
      </ol>
      {isMember && !mayManage && <p className={css.hint}>{text.manager}</p>}
    </section>
  )
}
