"""Vocabulary of the sample workspace: a web shop in the words of its developers."""

from collections.abc import Mapping

PEOPLE = (
    ("maya", "Maya", "Kent"),
    ("jon", "Jon", "Bellamy"),
    ("ada", "Ada", "Okafor"),
    ("rex", "Rex", "Lindqvist"),
    ("uma", "Uma", "Castellanos"),
    ("priya", "Priya", "Raman"),
    ("tomas", "Tomás", "Herrera"),
    ("lena", "Lena", "Brandt"),
    ("kofi", "Kofi", "Mensah"),
    ("sofia", "Sofia", "Marchetti"),
)

AREAS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "Aurora": {
        "Checkout": ("Basket", "Address", "Delivery"),
        "Payments": ("Cards", "Wallets", "Refunds"),
        "Search": ("Ranking", "Suggestions"),
        "Catalogue": ("Product page", "Images", "Stock"),
        "Accounts": ("Sign-in", "Order history", "Privacy"),
        "Marketing": ("Vouchers", "Newsletter"),
        "Platform": ("Monitoring", "Release pipeline"),
    },
    "Beacon": {"Receiving": (), "Picking": ("Scanner",), "Packing": (), "Returns": (), "Reports": ()},
    "Harbour": {"Pipelines": (), "Warehouse tables": (), "Dashboards": (), "Access": ()},
}

PROJECT_TEXTS: Mapping[str, str] = {
    "Aurora": "The web shop: everything a customer sees between the front page and the receipt.",
    "Beacon": "The application on the warehouse floor, from the truck at the gate to the parcel on its way.",
    "Harbour": "Where the numbers of shop and warehouse come together.",
}

TEAMS: Mapping[str, tuple[str, ...]] = {
    "Aurora": ("Storefront", "Money", "Foundations"),
    "Beacon": ("Floor", "Dock"),
    "Harbour": ("Data",),
}

STORIES: Mapping[str, tuple[str, ...]] = {
    "Checkout": (
        "Guest checkout keeps the basket {client}",
        "Save the delivery address from the wallet {market}",
        "Show the delivery date before the address is known",
        "Choose a pick-up point on a map {client}",
        "Split an order into two deliveries",
        "Warn before a basket expires",
        "Let customers change the delivery slot after ordering {market}",
        "Show taxes and duties line by line {market}",
        "Remember the last used delivery option",
        "Gift wrapping as an option for each article",
        "Merge the guest basket into the account's basket at sign-in",
    ),
    "Payments": (
        "Pay by invoice {market}",
        "Store a card without storing the card number",
        "Retry a declined card with another one in place {client}",
        "Refund a part of an order",
        "Show a pending bank transfer as pending, not as failed",
        "Offer instalments above 200 {market}",
        "Pay with a wallet from the product page {client}",
        "Reconcile payouts with orders every night",
        "Send a receipt that satisfies the tax office {market}",
    ),
    "Search": (
        "Suggest categories beside articles while typing",
        "Find articles by their old number",
        "Forgive one typing error in every word {market}",
        "Sort results by delivery date {client}",
        "Keep the filters when going back from an article {client}",
        "Explain an empty result and offer a way on",
        "Learn synonyms from searches without a click {market}",
        "Promote articles in stock over those that are not",
    ),
    "Catalogue": (
        "Compare up to four articles side by side {client}",
        "Show which sizes run small, from returns",
        "Zoom into product images {client}",
        "Tell customers when an article is back in stock",
        "Show the stock of the nearest shop {market}",
        "Bundle articles that are bought together",
        "Import supplier data without stopping the shop",
        "Translate size charts {market}",
    ),
    "Accounts": (
        "Sign in with a passkey {client}",
        "Download all my data",
        "Close an account without writing to support {market}",
        "Show the whole order history, not the last year's",
        "Reorder everything from an earlier order",
        "Ask for a second factor on a new device {client}",
        "Share a wish list without signing in",
    ),
    "Marketing": (
        "Vouchers that work once per household {market}",
        "Stop the newsletter with one click {client}",
        "Plan a sale in advance and start it at midnight {market}",
        "Show the price before the sale as the law asks {market}",
        "Recommend articles without tracking people",
    ),
    "Platform": (
        "Deploy during the day without dropping a basket",
        "Trace one order through all services",
        "Page somebody when orders per minute fall by half",
        "Keep the shop readable when the payment provider is down",
        "Delete personal data from logs after 30 days",
        "Cut the first paint of the front page to one second {client}",
    ),
}

OTHER_STORIES = (
    "Scan the next parcel without touching the screen",
    "Show the shortest way through the hall",
    "Weigh a parcel and print its label in one step",
    "Take a picture of a damaged return",
    "Plan the dock for tomorrow's trucks {market}",
    "Count a shelf while picking goes on",
    "Load yesterday's orders before seven in the morning",
    "Let people ask for access where they miss it",
    "Show how old a number is beside the number",
    "Roll a broken load back to the day before",
)

BUGS = (
    "Card retry fails after the session has expired {client}",
    "Basket is empty after signing in {client}",
    "Voucher is taken off twice when an article is removed",
    "Postcode with a blank is refused {market}",
    "Search returns nothing for words with an apostrophe",
    "Product image flickers while the next one loads {client}",
    "Order confirmation arrives twice {market}",
    "Back button leaves an invisible dialog over the page {client}",
    "Refund shows yesterday's exchange rate {market}",
    "Stock goes below zero when two people buy the last one",
    "Screen reader reads the price as a date {client}",
    "Delivery slot of the past can be chosen around midnight {market}",
    "Password reset mail is in the wrong language {market}",
    "Filter by colour forgets the size",
    "Export stops at 65,536 lines",
    "Newsletter stays ticked after it was cancelled {client}",
    "Totals differ by a cent between basket and receipt {market}",
    "Session is lost when the network changes {client}",
)

FEATURES = (
    "One-page checkout",
    "Accounts without passwords",
    "Search that understands people",
    "Selling {market}",
    "Returns in three taps",
    "A front page for everybody",
    "Gift cards",
    "The shop on every device",
    "Click and collect",
    "Loyalty without a card",
)

ISSUES = (
    "Test environment has no data from after the summer",
    "Payment provider ends its old interface in spring",
    "Nobody in the team can release on Fridays",
    "Licence for the map service runs out",
    "Design for small screens is missing {market}",
    "Translation agency answers after five days",
)

RISKS = (
    "Card scheme may ask for an audit before the release",
    "Peak of the winter sale may exceed what the search cluster can take",
    "The only person who knows the tax rules leaves in the middle of the project",
    "Wallet provider may refuse the integration {market}",
    "New address data may be worse than the old {market}",
)

FEEDBACK = (
    "Please let me change my address after ordering",
    "The new search finds nothing I look for",
    "I love the delivery date on the product page",
    "Could you remember my size?",
    "Checkout is too small to read {client}",
    "I would like to pay by invoice {market}",
    "The newsletter keeps coming although I cancelled it",
)

TASKS = (
    "Write the acceptance test",
    "Reproduce on staging",
    "Change the data model and migrate",
    "Build the form",
    "Review the texts with the editors",
    "Measure before and after",
    "Handle the error of the provider",
    "Add the event to the tracking plan",
    "Update the runbook",
    "Translate the new texts",
    "Check keyboard and screen reader",
    "Roll out to five per cent",
    "Remove the old switch",
)

CLIENTS = ("on iPhone", "on Android", "in Safari", "in Firefox", "on tablets", "on slow connections", "in the kiosk")
MARKETS = ("for Germany", "for France", "in Norway", "in the Netherlands", "for Spain", "in Poland", "for Ireland")
TAGS = (
    "accessibility",
    "customer-request",
    "quick-win",
    "tech-debt",
    "legal",
    "peak-season",
    "mobile",
    "performance",
    "security",
    "ux",
    "needs-design",
    "experiment",
)
SOURCES = ("Support mail", "Shop survey", "Interview", "App store", "Sales call")

REASONS = (
    "Support hears about this several times a week.",
    "We lose people at this step; the funnel shows it clearly.",
    "The old way needs a manual fix every Monday.",
    "It is the most wanted point of the last survey.",
    "Without it the release for the new market is malformed.",
    "It was agreed with finance for this quarter.",
)

CRITERIA = (
    "It works with keyboard alone",
    "Nothing is lost when the page is reloaded",
    "The texts are translated",
    "It is measured: one event when it begins, one when it ends",
    "An error of the provider is told in words people understand",
    "It is behind a switch until support has been briefed",
    "It loads in under a second on a slow connection",
    "Old orders look as they did before",
)

NOTES = (
    "The provider's sandbox answers with a delay of two seconds; do not take that for our fault.",
    "See the notes of the workshop. The part about the address book is **out of scope** here.",
    "There is a spike in the branch `spike/outbox`; it may be thrown away.",
    "Ask the warehouse before changing the meaning of `reserved`.",
)

COMMENTS = (
    "I can reproduce this on staging, but only with an old session. Logs are attached to the incident.",
    "Retry path is covered by the new test. What is left is the text of the message.",
    "Talked to support: they can live with the work-around until the end of the month.",
    "Shall we split this? The second half depends on the provider.",
    "Estimate was before we knew about the tax rules, I would say twice that.",
    "Done on my side, waiting for review.",
    "Design is in the shared folder, version three. Please ignore the two before.",
    "This was fixed by the change to the session store, could somebody check and close it?",
    "Legal is fine with it as long as the note stays above the button.",
    "I moved the measurement into its own task.",
    "Numbers from last week: 312 people ran into it, 40 of them gave up.",
    "Works for me in the preview. One question: what happens when the basket has expired meanwhile?",
    "Let us take this into the next sprint, the current one is full.",
)

STEPS = (
    "1. Put any article into the basket\n2. Wait until the session has expired\n3. Go to checkout",
    "1. Sign in on two devices\n2. Remove an article on one\n3. Reload on the other",
    "1. Search for `l'eau`\n2. Look at the result",
    "1. Take the slow network profile\n2. Open a product page\n3. Go back before the images have loaded",
)
