import { Dialog, DialogDescription, DialogDismiss, DialogHeading } from '@ariakit/react';

export type Props = {
  open: boolean;
  close: () => void;
  title: string;
  text: string;
  action: string;
  confirm: () => void;
  keep?: string; // what the other button says
};

export default function ConfirmDialog({ open, close, title, text, action, confirm, keep = 'Keep it' }: Props) {
  return (
    <Dialog open={open} onClose={close} className="dialog" backdrop={<div className="backdrop" />} unmountOnHide>
      <DialogHeading className="dialog-title">{title}</DialogHeading>
      <DialogDescription>{text}</DialogDescription>
      <p className="dialog-actions">
        <DialogDismiss className="button quiet">{keep}</DialogDismiss>
        <button
          type="button"
          className="danger"
          onClick={() => {
            close();
            confirm();
          }}
        >
          {action}
        </button>
      </p>
    </Dialog>
  );
}
