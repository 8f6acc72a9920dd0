import { Tab, TabList, TabPanel, TabProvider } from '@ariakit/react';
import { useEffect } from 'react';
import type { UserError } from '../problems';
import { Field } from './field';
import Prose from './prose';

export type Draft = { title: string; content: string };

type Props = { draft: Draft; change: (draft: Draft) => void; errors: readonly UserError[]; unsaved: boolean };

/** Editor is where a post is written, and seen as its readers will see it. */
export function Editor({ draft, change, errors, unsaved }: Props) {
  useEffect(() => {
    if (!unsaved) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [unsaved]);
  return (
    <div className="editor">
      <Field label="Title" name="title" errors={errors}>
        {(control) => (
          <input
            {...control}
            className="title-input"
            value={draft.title}
            onChange={(event) => change({ ...draft, title: event.target.value })}
          />
        )}
      </Field>
      <TabProvider defaultSelectedId="write">
        <TabList className="tabs" aria-label="The text">
          <Tab id="write" className="tab">
            Write
          </Tab>
          <Tab id="preview" className="tab">
            Preview
          </Tab>
        </TabList>
        <TabPanel tabId="write" focusable={false}>
          <Field label="Text" name="content" errors={errors} hint="Markdown: # heading, *emphasis*, > quotation, - list, [link](https://…)">
            {(control) => (
              <textarea
                {...control}
                className="text-input"
                rows={16}
                value={draft.content}
                onChange={(event) => change({ ...draft, content: event.target.value })}
              />
            )}
          </Field>
        </TabPanel>
        <TabPanel tabId="preview" className="preview" unmountOnHide>
          {draft.title && <h2 className="preview-title">{draft.title}</h2>}
          {draft.content.trim() ? <Prose text={draft.content} /> : <p className="hint">Nothing to see yet.</p>}
        </TabPanel>
      </TabProvider>
    </div>
  );
}
