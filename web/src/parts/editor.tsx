import { Tab, TabList, TabPanel, TabProvider } from '@ariakit/react';
import type { Mistake } from '../mistakes';
import { Field } from './field';
import Prose from './prose';

export type Text = { title: string; content: string };

type Props = { text: Text; change: (part: Partial<Text>) => void; mistakes: readonly Mistake[]; busy: boolean };

/** Editor is where a post is written, and seen as its readers will see it. What is on its way is not changed. */
export function Editor({ text, change, mistakes, busy }: Props) {
  return (
    <div className="editor">
      <Field label="Title" name="title" mistakes={mistakes}>
        {(control) => (
          <input
            {...control}
            readOnly={busy}
            className="title-input"
            value={text.title}
            onChange={(event) => change({ title: event.target.value })}
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
          <Field label="Text" name="content" mistakes={mistakes} hint="Markdown: # heading, *emphasis*, > quotation, - list, [link](https://…)">
            {(control) => (
              <textarea
                {...control}
                readOnly={busy}
                className="text-input"
                rows={16}
                value={text.content}
                onChange={(event) => change({ content: event.target.value })}
              />
            )}
          </Field>
        </TabPanel>
        <TabPanel tabId="preview" className="preview" unmountOnHide>
          {text.title && <h2 className="preview-title">{text.title}</h2>}
          {text.content.trim() ? <Prose text={text.content} /> : <p className="hint">Nothing to see yet.</p>}
        </TabPanel>
      </TabProvider>
    </div>
  );
}
