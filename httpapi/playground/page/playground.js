"use strict";

// Starts GraphiQL with the settings that the page carries as data:
// its Content-Security-Policy runs no inline script.
(() => {
  const settings = JSON.parse(document.getElementById("settings").textContent);

  const endpoint = new URL(settings.endpoint, location.href);
  const webSocket = new URL(endpoint);
  webSocket.protocol = webSocket.protocol.replace("http", "ws");

  // A development token is a name. Any other is a secret, which has no place in localStorage.
  const keepsHeaders = settings.headers !== "";

  // Another project's GraphiQL, seen earlier on the same host and port, has left its tabs in localStorage.
  // These are ours alone. Where the browser stores nothing for us, they last as long as the page.
  function storage() {
    try {
      const ours = GraphiQL.createLocalStorage({ namespace: "broadsheet" });
      if (!keepsHeaders) forgetHeaders(ours);
      resume(ours);
      return ours;
    } catch {
      return null;
    }
  }

  // GraphiQL's own setting for this leaves the headers in its history.
  function forgetHeaders(stored) {
    const setItem = stored.setItem;
    const holdHeaders = ["graphiql:tabState", "graphiql:queries", "graphiql:favorites"];
    stored.setItem = (key, value) => {
      const without = (json) => JSON.stringify(JSON.parse(json), (name, v) => (name === "headers" ? null : v));
      setItem(key, holdHeaders.includes(key) ? without(value) : value);
    };
    // From when this host served development.
    for (const key of holdHeaders) {
      const value = stored.getItem(key);
      if (value) stored.setItem(key, value);
    }
  }

  // GraphiQL 4 keeps the open tab's texts twice, alone and among the tabs. Where the two differ when a page
  // is loaded again, as they do if nobody has typed, it adds a copy of the tab. So they must not differ.
  function resume(stored) {
    const tabState = JSON.parse(stored.getItem("graphiql:tabState"));
    if (!tabState) return;
    const open = tabState.tabs[tabState.activeTabIndex] ?? {};
    for (const text of ["query", "variables", "headers"]) {
      if (open[text]) stored.setItem(`graphiql:${text}`, open[text]);
      else stored.removeItem(`graphiql:${text}`);
    }
  }

  const props = {
    fetcher: GraphiQL.createFetcher({
      url: endpoint.href,
      subscriptionUrl: webSocket.href,
      enableIncrementalDelivery: false,
    }),
    storage: storage(),
    defaultTabs: settings.tabs,
    defaultQuery: "", // of a tab that the reader adds
    defaultHeaders: settings.headers,
    shouldPersistHeaders: keepsHeaders,
    showPersistHeadersSettings: keepsHeaders,
    defaultEditorToolsVisibility: keepsHeaders ? "headers" : true,
  };

  const logo = React.createElement(GraphiQL.Logo, null, "Broadsheet");
  ReactDOM.createRoot(document.getElementById("playground")).render(React.createElement(GraphiQL, props, logo));
})();
