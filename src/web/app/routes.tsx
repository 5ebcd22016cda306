import { Suspense } from 'react'
import { Route, Router, Switch } from 'wouter'
import { readPart } from '../state/places.ts'
import { lazyPage } from './lazy-page.tsx'
import { NotFound } from './message-pages.tsx'
import { SignedIn } from './person/person.tsx'
import { MemberSite } from './site/site-frame.tsx'
import { SitePages } from './site/site-pages.tsx'

const Login = lazyPage(() => import('../pages/auth/login.tsx'))
const Setup = lazyPage(() => import('../pages/auth/setup.tsx'))
const Reset = lazyPage(() => import('../pages/auth/reset.tsx'))
const ConfirmAddress = lazyPage(() => import('../pages/auth/confirm-address.tsx'))
const Invite = lazyPage(() => import('../pages/auth/invite.tsx'))
const MailLink = lazyPage(() => import('../pages/auth/mail-link.tsx'))
const Sites = lazyPage(() => import('../pages/sites/sites.tsx'))
const NewSite = lazyPage(() => import('../pages/sites/new-site.tsx'))
const TeamPage = lazyPage(() => import('../pages/team/team.tsx'))
const Account = lazyPage(() => import('../pages/account/account.tsx'))
const Shared = lazyPage(() => import('../pages/share/shared.tsx'))

const base = new URL(document.baseURI).pathname.replace(/\/$/, '')

/** Which page an address shows. The server answers 404 for what is not here (`src/http/web/page-paths.ts`). */
export function Routes() {
  return (
    <Router base={base}>
      <Suspense>
        <Switch>
          <Route path="/login" component={Login} />
          <Route path="/setup" component={Setup} />
          <Route path="/reset" component={Reset} />
          <Route path="/confirm-address" component={ConfirmAddress} />
          <Route path="/invite" component={Invite} />
          <Route path="/mail/:purpose/:token" component={MailLink} />
          <Route path="/share/:site" nest component={Shared} />
          <Route path="/embed/:site" nest component={Shared} />
          <Route>
            <SignedIn>
              <Switch>
                <Route path="/" component={Sites} />
                <Route path="/new" component={NewSite} />
                <Route path="/sites/:site" nest>
                  {({ site }) => (
                    <MemberSite siteKey={readPart(site)}>
                      <SitePages />
                    </MemberSite>
                  )}
                </Route>
                <Route path="/team/:part?" component={TeamPage} />
                <Route path="/account/:part?" component={Account} />
                <Route>
                  <NotFound />
                </Route>
              </Switch>
            </SignedIn>
          </Route>
        </Switch>
      </Suspense>
    </Router>
  )
}
