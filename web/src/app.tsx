import { Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Link, Route, Switch, useLocation } from 'wouter';
import { lazily } from './lazily';
import { FeedPage } from './pages/feed';
import { Boundary, Fault } from './parts/boundary';
import { Header } from './parts/header';
import { Notice } from './parts/notice';
import { Page } from './parts/page';
import { Skeleton } from './parts/states';
import { SignInAgain } from './parts/sign-in-again';
import { AskViewer, Suspended } from './parts/viewer';
import { routes } from './paths';
import { arrived } from './place';
import { leaveNotice, useAnnounced } from './notice';

export const PostPage = lazily(() => import('./pages/post'));
export const UserPage = lazily(() => import('./pages/user'));
const FollowsPage = lazily(() => import('./pages/follows'));
const GroupsPage = lazily(() => import('./pages/groups'));
const WritePage = lazily(() => import('./pages/write'));
const EditPage = lazily(() => import('./pages/edit'));
const LikedPage = lazily(() => import('./pages/liked'));
const HomePage = lazily(() => import('./pages/home'));
const BookmarksPage = lazily(() => import('./pages/bookmarks'));
const SettingsPage = lazily(() => import('./pages/settings'));
const SignInPage = lazily(() => import('./pages/sign-in'));

export function App() {
  const main = useRef<HTMLElement>(null);
  useNavigation(main);
  const [path] = useLocation();
  return (
    <>
      <a className="skip" href="#main">
        Skip to the text
      </a>
      <Header />
      <Suspended />
      <main id="main" ref={main} tabIndex={-1}>
        <Boundary
          resetOn={path}
          fallback={(error, again) => (
            <Page title="Broadsheet">
              <Fault error={error} again={again} />
            </Page>
          )}
        >
          <Suspense
            fallback={
              <div className="page">
                <Skeleton />
              </div>
            }
          >
            <Switch>
              <Route path={routes.feed}>
                <FeedPage />
              </Route>
              <Route<{ id: string }> path={routes.edit}>{({ id }) => <EditPage key={id} id={id} />}</Route>
              <Route<{ id: string }> path={routes.post}>{({ id }) => <PostPage key={id} id={id} />}</Route>
              <Route<{ username: string }> path={routes.user}>{({ username }) => <UserPage key={username} username={username} />}</Route>
              <Route<{ username: string }> path={routes.followers}>{({ username }) => <FollowsPage key={username} username={username} following={false} />}</Route>
              <Route<{ username: string }> path={routes.following}>{({ username }) => <FollowsPage key={username} username={username} following />}</Route>
              <Route path={/^\/groups(?:\/(\w+)(?:\/(members|edit))?)?$/}>{({ 0: name, 1: page }) => <GroupsPage key={name} name={name} page={page} />}</Route>
              <Route path={routes.write}>
                <WritePage />
              </Route>
              <Route path={routes.home}>
                <HomePage />
              </Route>
              <Route path={routes.liked}>
                <LikedPage />
              </Route>
              <Route path={routes.bookmarks}>
                <BookmarksPage />
              </Route>
              <Route path={routes.settings}>
                <SettingsPage />
              </Route>
              <Route path={routes.signIn}>
                <SignInPage />
              </Route>
              <Route>
                <Page title="Nothing here">
                  <AskViewer />
                  <h1>Nothing here</h1>
                  <p>No page has this address.</p>
                  <p>
                    <Link href={routes.feed}>The newest posts</Link>
                  </p>
                </Page>
              </Route>
            </Switch>
          </Suspense>
        </Boundary>
      </main>
      <SignInAgain />
      <Notice />
      <Announcer />
    </>
  );
}

/** A page that was followed to begins at its top; one that was gone back to, where it was left. */
function useNavigation(main: React.RefObject<HTMLElement | null>) {
  const [path] = useLocation();
  const shown = useRef(path);
  const back = useRef(false);
  useEffect(() => {
    const popped = () => (back.current = location.pathname !== shown.current); // else it is another place of the page
    addEventListener('popstate', popped);
    return () => removeEventListener('popstate', popped);
  }, []);
  useEffect(() => {
    if (begun) main.current?.focus({ preventScroll: true }); // what had it is gone
    begun = true;
  }, [main]);
  useLayoutEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    for (const first of document.head.querySelectorAll('[data-page]')) first.remove(); // it is about the page that was loaded
    if (!back.current) scrollTo(0, 0);
    arrived(back.current);
    leaveNotice();
    back.current = false;
    main.current?.focus({ preventScroll: true });
  }, [path, main]);
}

// Another identity begins the app anew.
let begun = false;
let told = '';

/** Announcer tells a screen reader which page it has come to, and what was done there. */
function Announcer() {
  const [title, setTitle] = useState('');
  useEffect(() => {
    const tell = () => document.title !== told && setTitle((told = document.title));
    if (told) tell();
    told = document.title;
    const observer = new MutationObserver(tell);
    observer.observe(document.head, { childList: true, subtree: true, characterData: true });
    return () => observer.disconnect();
  }, []);
  const done = useAnnounced();
  return (
    <>
      <div className="unseen" role="status">
        {title}
      </div>
      <div className="unseen" role="status">
        {done}
      </div>
    </>
  );
}
